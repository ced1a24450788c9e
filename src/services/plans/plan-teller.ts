// Publishes a change event when the plan of a user has changed, in this server or in another one of the project. The
// database also reports other changes, so a fingerprint of the plan is compared.

import { lstatSync } from 'node:fs'
import { join } from 'node:path'

import type { State } from '../../store/state/state.js'
import type { Notices } from '../notices.js'
import { sessionFolder } from '../sessions/session-folder.js'
import { PLAN_URI } from './uri.js'

export interface PlanTeller {
  /** Subscribes to the changes of this database; an earlier subscription ends. */
  hear(state: State): void
  close(): void
}

export function createPlanTeller(project: string, notices: Notices): PlanTeller {
  const lastPublished = new Map<string, string>()
  let subscribedState: State | undefined
  let unsubscribe: (() => void) | undefined

  async function notifyIfChanged(state: State, user: string): Promise<void> {
    const current = await fingerprint(state, user)
    if (lastPublished.get(user) === current) return
    lastPublished.set(user, current)
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
      if (subscribedState === state) return
      unsubscribe?.()
      subscribedState = state
      unsubscribe = state.onChange((scope) => {
        // If the plan cannot be read now, the next change reports it.
        if (scope.project === project) void notifyIfChanged(state, scope.user).catch(() => undefined)
      })
    },
    close: () => unsubscribe?.(),
  }
}
