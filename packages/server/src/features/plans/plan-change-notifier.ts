// Publishes a change event when the plan of a user has changed, in this server or in another one of the project. The
// database also reports other changes, so a fingerprint of the plan is compared. Used by plan-service. Reads the database
// and the modification time of plan.md.

import { lstatSync } from 'node:fs'
import { join } from 'node:path'

import type { ChangeEvents } from '@scorpiox/mcp/definitions/change-events'
import type { ScopedDatabase } from '../../storage/scoped-database.js'
import type { PlanTables } from './plan-table.js'
import { sessionDirectoryPath } from '../../sessions/session-directory.js'
import { PLAN_URI } from './plan-resource.js'

export interface PlanChangeNotifier {
  /** Subscribes to the changes of this database; an earlier subscription ends. */
  subscribeTo(state: ScopedDatabase<PlanTables>): void
  close(): void
}

export function createPlanChangeNotifier(project: string, changeEvents: ChangeEvents): PlanChangeNotifier {
  const lastPublished = new Map<string, string>()
  let subscribedState: ScopedDatabase<PlanTables> | undefined
  let unsubscribe: (() => void) | undefined

  async function notifyIfChanged(state: ScopedDatabase<PlanTables>, user: string): Promise<void> {
    const current = await fingerprint(state, user)
    if (lastPublished.get(user) === current) return
    lastPublished.set(user, current)
    changeEvents.notifyResourceUpdated(PLAN_URI, user)
  }

  async function fingerprint(state: ScopedDatabase<PlanTables>, user: string): Promise<string> {
    const latest = await state.read({ project, user }, ({ plans }) => plans.findLatest())
    if (!latest) return ''
    const file = join(sessionDirectoryPath(project, latest.session), 'plan.md')
    return `${latest.id} ${latest.outcome} ${lstatSync(file, { throwIfNoEntry: false })?.mtimeMs}`
  }

  return {
    subscribeTo(state) {
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
