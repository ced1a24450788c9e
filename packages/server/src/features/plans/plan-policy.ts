// The sandbox of commands in plan mode: while a user has an open plan, commands run in a sandbox that can write only to the
// session directory of the plan; without a sandbox they are refused. Wraps the sandbox of the settings. Opened by
// services.ts of the app for the shell service, and by `doctor`. Reads flag files or the database before each command
// (plan-lookup), and creates the session directory.

import { lstatSync } from 'node:fs'

import { Failure } from '@scorpiox/mcp/errors'
import type { Config } from '../../config/load-config.js'
import type { SandboxFactory } from '../../process/shell-pool.js'
import { type CommandSandbox, createLazySandbox } from '../../sandbox/command-sandbox.js'
import { ensureSessionDirectory } from '../../sessions/session-directory.js'
import type { LazyDatabase } from '../../storage/scoped-database.js'
import { createOpenPlanLookup, type OpenPlanLookup, openPlanLookupDeps } from './plan-lookup.js'
import type { PlanRow, PlanTables } from './plan-table.js'

/** The sandbox of commands: that of the open plan, else `base`. Closing it closes both, and the database. */
export function openPlanPolicy(config: Config, base: CommandSandbox, state: LazyDatabase<PlanTables>): CommandSandbox {
  const policy = createPlanPolicy(config, base, createOpenPlanLookup(openPlanLookupDeps(config, state)))
  return { ...policy, close: async () => void (await Promise.all([policy.close(), state.close()])) }
}

export function createPlanPolicy(config: Config, base: CommandSandbox, lookup: OpenPlanLookup): CommandSandbox {
  // Never less strict than without a plan: a command without network access does not gain it.
  const level = base.level === 'strict' ? 'strict' : 'read-only'
  const sandbox = createLazySandbox(config, level, { allowsOnlyGrants: true })

  async function planSandbox({ session }: PlanRow): Promise<SandboxFactory> {
    try {
      const directory = ensureSessionDirectory(lookup.project, session)
      const opened = await sandbox.open()
      // Inode and birth time are part of the key: a pooled shell must not be reused for a directory that was deleted
      // and recreated, and inode numbers are reused.
      const { ino, birthtimeMs } = lstatSync(directory)
      const key = `plan ${level} ${directory} ${ino} ${birthtimeMs}`
      const failureNote = `Plan mode is on: commands can only read, except in ${directory}.`
      return { key, failureNote, create: () => opened.create(level, { writable: [directory] }) }
    } catch (error) {
      throw error instanceof Failure ? sandboxMissing(error) : error
    }
  }

  async function readOnlySandbox(): Promise<SandboxFactory> {
    const opened = await sandbox.open()
    return { key: `sealed ${level}`, create: () => opened.create(level) }
  }

  return {
    ...base,
    sandboxFor(caller, isReadOnly = false) {
      if (isReadOnly && base.level !== 'off') return readOnlySandbox()
      const plan = lookup.findOpenPlan(caller.user)
      if (plan === undefined) return base.level === 'off' ? undefined : base.sandboxFor(caller)
      return Promise.resolve(plan).then((open) => (open ? planSandbox(open) : base.sandboxFor(caller)))
    },
    async close() {
      await Promise.all([base.close(), sandbox.close()])
    },
  }
}

function sandboxMissing({ message }: Failure): Failure {
  return new Failure(
    `The command was not started: plan mode is on and requires a read-only sandbox, which is not available. ` +
      `${message}\nTo leave plan mode: PlanMode(action: "exit", plan: "…") submits a plan, ` +
      `PlanMode(action: "reset") discards it.`,
  )
}
