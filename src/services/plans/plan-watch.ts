// Finds the open plan of a user before each command. If the state is a local file, a missing flag file means that there
// is no plan; a database server may be written to by other machines, so it is queried each time.
//
// The flag is set in the transaction that opens a plan and cleared only in a write transaction that sees no open plan.
// Write transactions are serialized across processes, so the flag of an open plan is never cleared.

import { Failure } from '../../lib/failure.js'
import type { PlanRow } from '../../store/state/plan-rows.js'
import type { LazyState } from '../state.js'
import type { Marks } from '../marks.js'

export interface PlanWatch {
  readonly project: string
  /** Throws a Failure if it cannot be determined. */
  openPlan(user: string): PlanRow | undefined | Promise<PlanRow | undefined>
  /** Clears the flag if no plan is open; returns the open plan, if any. */
  tidy(user: string): Promise<PlanRow | undefined>
}

export interface PlanWatchSettings {
  readonly project: string
  readonly state: LazyState
  /**
   * `ask-database`: only the database knows whether a plan is open. `none`: nothing can be stored, so there is no plan.
   */
  readonly marks: Marks | 'ask-database' | 'none'
}

export function createPlanWatch({ project, state, marks }: PlanWatchSettings): PlanWatch {
  async function clearStaleFlag(user: string): Promise<PlanRow | undefined> {
    const opened = await state.open()
    return opened.write({ project, user }, async ({ plans }) => {
      const plan = await plans.open()
      if (plan === undefined && typeof marks === 'object') marks.remove(user)
      return plan
    })
  }

  async function queryDatabase(user: string): Promise<PlanRow | undefined> {
    try {
      const opened = await state.open()
      const plan = await opened.read({ project, user }, ({ plans }) => plans.open())
      // The flag was set for a plan that was not opened after all, or its server exited before clearing it.
      return plan ?? (typeof marks === 'object' ? await clearStaleFlag(user).catch(() => undefined) : undefined)
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      throw new Failure(
        `The command was not started: cannot determine whether plan mode is on, in which commands are read-only. ` +
          error.message,
      )
    }
  }

  return {
    project,
    openPlan(user) {
      if (marks === 'none' || (typeof marks === 'object' && !marks.isThere(user))) return undefined
      return queryDatabase(user)
    },
    tidy: clearStaleFlag,
  }
}
