// Opens the database of this program: transactions on one scope (one user in one project), which get the tables of all
// features. PostgreSQL if a URL is configured, otherwise a SQLite file of this user. Used by lazy-state.ts, which the
// services share.

import type { CallbackTable } from './features/callbacks/index.js'
import { createCallbackTable } from './features/callbacks/lazy.js'
import type { PlanApprovalTable, PlanTable } from './features/plans/index.js'
import { createPlanApprovalTable, createPlanTable } from './features/plans/lazy.js'
import type { QuestionTable } from './features/questions/index.js'
import { createQuestionTable } from './features/questions/lazy.js'
import type { TaskTable } from './features/tasks/index.js'
import { createTaskTable, maintainTaskIndex } from './features/tasks/lazy.js'
import { createMessageTable, type MessageTable } from './sessions/message-table.js'
import { createPastEventTable, type PastEventTable } from './sessions/past-event-table.js'
import { createSessionLeaseTable, type SessionLeaseTable } from './sessions/session-leases.js'
import type { Database, Sql } from './storage/database.js'
import { type DatabaseLocation, openDatabase } from './storage/open-database.js'
import { createScopedDatabase, type ScopedDatabase, type WriteFence } from './storage/scoped-database.js'

export type { Scope } from './storage/scoped-database.js'

export type StateDatabase = ScopedDatabase<StateTables>

/** Valid during the transaction. */
export interface StateTables {
  readonly tasks: TaskTable
  readonly plans: PlanTable
  readonly approvals: PlanApprovalTable
  readonly questions: QuestionTable
  readonly callbacks: CallbackTable
  readonly messages: MessageTable
  readonly sessions: SessionLeaseTable
  readonly pastEvents: PastEventTable
}

function createStateTables(sql: Sql, scopeId: number): StateTables {
  return {
    tasks: createTaskTable(sql, scopeId),
    plans: createPlanTable(sql, scopeId),
    approvals: createPlanApprovalTable(sql, scopeId),
    questions: createQuestionTable(sql, scopeId),
    callbacks: createCallbackTable(sql, scopeId),
    messages: createMessageTable(sql, scopeId),
    sessions: createSessionLeaseTable(sql, scopeId),
    pastEvents: createPastEventTable(sql, scopeId),
  }
}

/** Does not fail: each transaction reports what is wrong with the database. */
export async function openStateDatabase(location: DatabaseLocation): Promise<StateDatabase> {
  const database = await openDatabase(location)
  return createMaintainedState(database, () => database.close())
}

/** Over a database that is open already and stays open: the one of a machine, which others may write to as well. */
export function createFencedState(database: Database, fence: WriteFence): StateDatabase {
  return createMaintainedState(database, () => Promise.resolve(), fence)
}

function createMaintainedState(database: Database, close: () => Promise<void>, fence?: WriteFence): StateDatabase {
  const maintenance = maintainTaskIndex(database)
  const closeAll = async (): Promise<void> => {
    await maintenance.close()
    await close()
  }
  return createScopedDatabase({ ...database, close: closeAll }, createStateTables, fence)
}
