// State over a database: finds the scope, hands out its rows, and tells who listens when they have changed.

import { createCallbackTable } from './callback-table.js'
import { createMessageTable } from './message-table.js'
import { createPlanTable } from './plan-table.js'
import { createQuestionTable } from './question-table.js'
import { createScopeWatch } from './scope-watch.js'
import { enterScope, findScope, keyOf, openProjects, waitingUsers } from './scope-table.js'
import { createSessionTable } from './session-table.js'
import type { Database, Sql, Statement } from './sql.js'
import type { Rows, State } from './state.js'
import { createTaskTable } from './task-table.js'

export function createState(database: Database): State {
  const watch = createScopeWatch(database)
  return {
    async read(scope, work) {
      const { value, revision } = await database.read(async (sql) => {
        const mark = await findScope(sql, scope)
        return { value: await work(rowsOf(sql, mark.id)), revision: mark.revision }
      })
      watch.seen(scope, revision)
      return value
    },
    async write(scope, work) {
      const { value, revision, changed } = await database.write(keyOf(scope), async (sql) => {
        const mark = await enterScope(sql, scope)
        const noting = notingChanges(sql)
        const result = await work(rowsOf(noting.sql, mark.id))
        const keep = noting.changed()
        return { value: { value: result, revision: keep ? mark.revision : mark.revision - 1, changed: keep }, keep }
      })
      watch.seen(scope, revision, changed)
      return value
    },
    onChange: (listener) => watch.listen(listener),
    look: () => watch.look(),
    openProjects: (user) => database.read((sql) => openProjects(sql, user)),
    waitingUsers: (project) => database.read((sql) => waitingUsers(sql, project)),
    async close() {
      watch.close()
      await database.close()
    },
  }
}

function rowsOf(sql: Sql, scope: number): Rows {
  return {
    tasks: createTaskTable(sql, scope),
    plans: createPlanTable(sql, scope),
    questions: createQuestionTable(sql, scope),
    callbacks: createCallbackTable(sql, scope),
    messages: createMessageTable(sql, scope),
    sessions: createSessionTable(sql, scope),
  }
}

function notingChanges(sql: Sql): { readonly sql: Sql; changed(): boolean } {
  let changed = false
  const run: Statement = (text, ...values) => {
    changed = true
    return sql.run(text, ...values)
  }
  return { sql: { all: sql.all, run }, changed: () => changed }
}
