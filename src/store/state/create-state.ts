// State over a database: finds the scope, hands out its rows, and tells who listens when they have changed.

import { createScopeWatch } from './scope-watch.js'
import { enterScope, findScope, keyOf, openProjects, waitingUsers } from './scope-table.js'
import type { Database, Sql, Statement } from './sql.js'
import type { State } from './state.js'

export function createState<R>(database: Database, createTables: (sql: Sql, scopeId: number) => R): State<R> {
  const watch = createScopeWatch(database)
  return {
    async read(scope, work) {
      const { value, revision } = await database.read(async (sql) => {
        const mark = await findScope(sql, scope)
        return { value: await work(createTables(sql, mark.id)), revision: mark.revision }
      })
      watch.seen(scope, revision)
      return value
    },
    async write(scope, work) {
      const { value, revision, changed } = await database.write(keyOf(scope), async (sql) => {
        const mark = await enterScope(sql, scope)
        const noting = notingChanges(sql)
        const result = await work(createTables(noting.sql, mark.id))
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

function notingChanges(sql: Sql): { readonly sql: Sql; changed(): boolean } {
  let changed = false
  const run: Statement = (text, ...values) => {
    changed = true
    return sql.run(text, ...values)
  }
  return { sql: { all: sql.all, run }, changed: () => changed }
}
