// Tells whoever subscribed that their plan has changed, here or in another server of the project. What is remembered
// changes for other reasons too, so it is looked whether it was the plan.

import { lstatSync } from 'node:fs'
import { join } from 'node:path'

import type { State } from '../../store/state/state.js'
import type { Notices } from '../notices.js'
import { sessionFolder } from '../sessions/session-folder.js'
import { PLAN_URI } from './uri.js'

export interface PlanTeller {
  /** Listens to this one from now on. */
  hear(state: State): void
  close(): void
}

export function createPlanTeller(project: string, notices: Notices): PlanTeller {
  const told = new Map<string, string>()
  let heard: State | undefined
  let stop: (() => void) | undefined

  async function tell(state: State, user: string): Promise<void> {
    const look = await fingerprint(state, user)
    if (told.get(user) === look) return
    told.set(user, look)
    notices.updated(PLAN_URI, user)
  }

  async function fingerprint(state: State, user: string): Promise<string> {
    const latest = await state.read({ project, user }, ({ plans }) => plans.latest())
    if (!latest) return ''
    const file = join(sessionFolder(project, latest.session), 'plan.md')
    return `${latest.id} ${latest.outcome} ${lstatSync(file, { throwIfNoEntry: false })?.mtimeMs}`
  }

  return {
    hear(state) {
      if (heard === state) return
      stop?.()
      heard = state
      stop = state.onChange((scope) => {
        // What cannot be read now will be told with the next change.
        if (scope.project === project) void tell(state, scope.user).catch(() => undefined)
      })
    },
    close: () => stop?.(),
  }
}
