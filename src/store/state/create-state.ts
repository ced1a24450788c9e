// Creates the scoped database over a database: finds the scope's row, passes its tables to the work, and notifies
// listeners of changes.

import { createScopeWatch } from './scope-watch.js'
import { enterScope, findScope, keyOf, openProjects, waitingUsers } from './scope-table.js'
import type { Database, Sql, Statement } from './sql.js'
import type { ScopedDatabase } from './scoped-database.js'

export function createState<R>(database: Database, createTables: (sql: Sql, scopeId: number) => R): ScopedDatabase<R> {
  const poller = createScopeWatch(database)
  return {
    async read(scope, work) {
      const { value, revision } = await database.read(async (sql) => {
        const row = await findScope(sql, scope)
        return { value: await work(createTables(sql, row.id)), revision: row.revision }
      })
      poller.seen(scope, revision)
      return value
    },
    async write(scope, work) {
      const { value, revision, changed } = await database.write(keyOf(scope), async (sql) => {
        const row = await enterScope(sql, scope)
        const tracked = trackChanges(sql)
        const result = await work(createTables(tracked.sql, row.id))
        const hasChanged = tracked.changed()
        return {
          value: { value: result, revision: hasChanged ? row.revision : row.revision - 1, changed: hasChanged },
          keep: hasChanged,
        }
      })
      poller.seen(scope, revision, changed)
      return value
    },
    onChange: (listener) => poller.listen(listener),
    look: () => poller.look(),
    openProjects: (user) => database.read((sql) => openProjects(sql, user)),
    waitingUsers: (project) => database.read((sql) => waitingUsers(sql, project)),
    async close() {
      poller.close()
      await database.close()
    },
  }
}

function trackChanges(sql: Sql): { readonly sql: Sql; changed(): boolean } {
  let changed = false
  const run: Statement = (text, ...values) => {
    changed = true
    return sql.run(text, ...values)
  }
  return { sql: { all: sql.all, run }, changed: () => changed }
}
