// Whether a user has an open plan, asked before each command. Where state is a file of this machine a mark says at once
// that there is none; a database may be written to by other machines, so it is asked each time.
//
// A mark is only taken away by a writer who sees that no plan is open, and put by the writer who opens one. Writers come
// one after the other, in whichever process, so the mark of an open plan is never taken.

import { Failure } from '../../lib/failure.js'
import type { PlanRow } from '../../store/state/plan-rows.js'
import type { LazyState } from '../state.js'
import type { Marks } from '../marks.js'

export interface PlanWatch {
  readonly project: string
  /** Throws a Failure where it cannot be found out. */
  openPlan(user: string): PlanRow | undefined | Promise<PlanRow | undefined>
  /** Takes the mark away if no plan is open; gives the one that is. */
  tidy(user: string): Promise<PlanRow | undefined>
}

export interface PlanWatchSettings {
  readonly project: string
  readonly state: LazyState
  /** `untold`: whether there is a plan must be asked of the state; `none`: there can be none, because nothing is kept. */
  readonly marks: Marks | 'untold' | 'none'
}

export function createPlanWatch({ project, state, marks }: PlanWatchSettings): PlanWatch {
  async function tidy(user: string): Promise<PlanRow | undefined> {
    const opened = await state.open()
    return opened.write({ project, user }, async ({ plans }) => {
      const plan = await plans.open()
      if (plan === undefined && typeof marks === 'object') marks.remove(user)
      return plan
    })
  }

  async function ask(user: string): Promise<PlanRow | undefined> {
    try {
      const opened = await state.open()
      const plan = await opened.read({ project, user }, ({ plans }) => plans.open())
      // The mark of one that was not opened after all, or whose end was not the last thing its server did.
      return plan ?? (typeof marks === 'object' ? await tidy(user).catch(() => undefined) : undefined)
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      throw new Failure(
        `The command was not started: a plan may be open here, which would allow it to read only, and that cannot be ` +
          `found out. ${error.message}`,
      )
    }
  }

  return {
    project,
    openPlan(user) {
      if (marks === 'none' || (typeof marks === 'object' && !marks.isThere(user))) return undefined
      return ask(user)
    },
    tidy,
  }
}
