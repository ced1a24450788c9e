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

export function confinedByPlans(config: Config, base: Confinement, lookup: PlanWatch): Confinement {
  // Never less strict than without a plan: a command without network access does not gain it.
  const level = base.level === 'strict' ? 'strict' : 'read-only'
  const sandbox = lazySandbox(config, level, { isSealed: true })

  async function planSandbox({ session }: PlanRow): Promise<Confine> {
    try {
      const directory = ensureSessionFolder(lookup.project, session)
      const opened = await sandbox.open()
      // Inode and birth time are part of the key: a pooled shell must not be reused for a directory that was deleted
      // and recreated, and inode numbers are reused.
      const { ino, birthtimeMs } = lstatSync(directory)
      const key = `plan ${level} ${directory} ${ino} ${birthtimeMs}`
      const note = `Plan mode is on: commands can only read, except in ${directory}.`
      return { key, note, cage: () => opened.cage(level, { writable: [directory] }) }
    } catch (error) {
      throw error instanceof Failure ? sandboxMissing(error) : error
    }
  }

  async function readOnlySandbox(): Promise<Confine> {
    const opened = await sandbox.open()
    return { key: `sealed ${level}`, cage: () => opened.cage(level) }
  }

  return {
    ...base,
    confine(caller, isReadOnly = false) {
      if (isReadOnly && base.level !== 'off') return readOnlySandbox()
      const plan = lookup.openPlan(caller.user)
      if (plan === undefined) return base.confine(caller)
      return Promise.resolve(plan).then((open) => (open ? planSandbox(open) : base.confine(caller)))
    },
    async close() {
      await Promise.all([base.close(), sandbox.close()])
    },
  }
}

function sandboxMissing({ message }: Failure): Failure {
  return new Failure(
    `The command was not started: plan mode is on and requires a read-only sandbox, which is not available. ` +
      `${message}\nOr leave plan mode: PlanMode(action: "exit", plan: "…") accepts a plan, ` +
      `PlanMode(action: "reset") discards it.`,
  )
}
