// Finds the open plan of a user before each command, for plan-policy; plan-service uses it to clear the flag file. If the
// state is a local file, a missing flag file means that there is no plan, and the database is not opened; a database server
// may be written to by other machines, so it is queried each time. Reads the database and flag files, and deletes stale
// flags.

import { Failure } from '@scorpiox/mcp/errors'
import type { Config } from '../../config/load-config.js'
import { findProjectRoot, getStateDir } from '../../config/paths.js'
import { type FlagFiles, openFlagFiles } from '../../storage/flag-files.js'
import type { LazyDatabase } from '../../storage/scoped-database.js'
import type { PlanRow, PlanTables } from './plan-table.js'

export interface OpenPlanLookup {
  readonly project: string
  /** Throws a Failure if it cannot be determined. */
  findOpenPlan(user: string): PlanRow | undefined | Promise<PlanRow | undefined>
  /** Clears the flag if no plan is open; returns the open plan, if any. */
  clearStaleFlag(user: string): Promise<PlanRow | undefined>
}

export interface OpenPlanLookupDeps {
  readonly project: string
  readonly state: LazyDatabase<PlanTables>
  /**
   * `ask-database`: only the database knows whether a plan is open. `none`: nothing can be stored, so there is no plan.
   */
  readonly flags: FlagFiles | 'ask-database' | 'none'
}

/**
 * The flag is set in the transaction that opens a plan and cleared only in a write transaction that sees no open plan.
 * Write transactions are serialized across processes, so the flag of an open plan is never cleared.
 */
export function createOpenPlanLookup({ project, state, flags }: OpenPlanLookupDeps): OpenPlanLookup {
  async function clearStaleFlag(user: string): Promise<PlanRow | undefined> {
    const opened = await state.open()
    return opened.write({ project, user }, async ({ plans }) => {
      const plan = await plans.findOpen()
      if (plan === undefined && typeof flags === 'object') flags.clear(user)
      return plan
    })
  }

  async function queryDatabase(user: string): Promise<PlanRow | undefined> {
    try {
      const opened = await state.open()
      const plan = await opened.read({ project, user }, ({ plans }) => plans.findOpen())
      // The flag was set for a plan that was not opened after all, or its server exited before clearing it.
      return plan ?? (typeof flags === 'object' ? await clearStaleFlag(user).catch(() => undefined) : undefined)
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      throw new Failure(
        `The command was not started: the server cannot determine whether plan mode is on. ${error.message}`,
      )
    }
  }

  return {
    project,
    findOpenPlan(user) {
      if (flags === 'none' || (typeof flags === 'object' && !flags.isSet(user))) return undefined
      return queryDatabase(user)
    },
    clearStaleFlag,
  }
}

/** Builds the dependencies of the lookup from the settings: the project, the database and the flag files. */
export function openPlanLookupDeps(
  { settings, cwd }: Pick<Config, 'settings' | 'cwd'>,
  state: LazyDatabase<PlanTables>,
): OpenPlanLookupDeps {
  const project = findProjectRoot(cwd)
  if (settings.DATABASE_URL !== '') return { project, state, flags: 'ask-database' }
  return { project, state, flags: openFlags(settings, project) }
}

function openFlags(settings: Config['settings'], project: string): FlagFiles | 'none' {
  try {
    return openFlagFiles(getStateDir(settings), 'plans', project)
  } catch (error) {
    if (error instanceof Failure) return 'none'
    throw error
  }
}
