// Plan mode policy: while a user has an open plan, commands run in a sandbox that can write only to the session
// directory of the plan. Without a sandbox they are refused.

import { lstatSync } from 'node:fs'

import type { Config } from '../../config/load.js'
import { Failure } from '../../lib/failure.js'
import type { Confine } from '../../platform/ready-shells.js'
import type { PlanRow } from '../../store/state/plan-rows.js'
import type { Confinement } from '../shell/confinement.js'
import { lazySandbox } from '../shell/lazy-sandbox.js'
import { ensureSessionFolder } from '../sessions/session-folder.js'
import type { PlanWatch } from './plan-watch.js'

export function confinedByPlans(config: Config, usual: Confinement, watch: PlanWatch): Confinement {
  // Never less strict than without a plan: a command without network access does not gain it.
  const level = usual.level === 'strict' ? 'strict' : 'read-only'
  const sandbox = lazySandbox(config, level, { isSealed: true })

  async function inPlan({ session }: PlanRow): Promise<Confine> {
    try {
      const folder = ensureSessionFolder(watch.project, session)
      const opened = await sandbox.open()
      // Inode and birth time are part of the key: a pooled shell must not be reused for a directory that was deleted
      // and recreated, and inode numbers are reused.
      const { ino, birthtimeMs } = lstatSync(folder)
      const key = `plan ${level} ${folder} ${ino} ${birthtimeMs}`
      const note = `Plan mode is on: commands can only read, except in ${folder}.`
      return { key, note, cage: () => opened.cage(level, { writable: [folder] }) }
    } catch (error) {
      throw error instanceof Failure ? notConfined(error) : error
    }
  }

  async function inSeal(): Promise<Confine> {
    const opened = await sandbox.open()
    return { key: `sealed ${level}`, cage: () => opened.cage(level) }
  }

  return {
    ...usual,
    confine(who, isReadOnly = false) {
      if (isReadOnly && usual.level !== 'off') return inSeal()
      const plan = watch.openPlan(who.user)
      if (plan === undefined) return usual.confine(who)
      return Promise.resolve(plan).then((open) => (open ? inPlan(open) : usual.confine(who)))
    },
    async close() {
      await Promise.all([usual.close(), sandbox.close()])
    },
  }
}

function notConfined({ message }: Failure): Failure {
  return new Failure(
    `The command was not started: plan mode is on, in which commands may only read, and they cannot be held to that ` +
      `here. ${message}\nOr leave plan mode: PlanMode(action: "exit", plan: "…") accepts a plan, ` +
      `PlanMode(action: "reset") gives it up.`,
  )
}
