// Creates the tables of all features for one transaction.

import { createCallbackTable } from './callback-table.js'
import { createMessageTable } from './message-table.js'
import { createPlanTable } from './plan-table.js'
import { createQuestionTable } from './question-table.js'
import { createSessionTable } from './session-table.js'
import type { Sql } from './sql.js'
import type { Rows } from './state.js'
import { createTaskTable } from './task-table.js'

export function createTables(sql: Sql, scopeId: number): Rows {
  return {
    tasks: createTaskTable(sql, scopeId),
    plans: createPlanTable(sql, scopeId),
    questions: createQuestionTable(sql, scopeId),
    callbacks: createCallbackTable(sql, scopeId),
    messages: createMessageTable(sql, scopeId),
    sessions: createSessionTable(sql, scopeId),
  }
}
