// Creates the scoped database over a database: finds the scope's row, passes its tables to the work, and notifies
// listeners of changes.

import { createChangePoller } from './change-poller.js'
import type { Database, RunStatement, Sql } from './database.js'
import {
  findScope,
  lockScope,
  scopeKey,
  selectProjectsWithOpenItems,
  selectUsersWithPendingItems,
} from './scope-table.js'
import type { ScopedDatabase } from './scoped-database.js'

export function createScopedDatabase<R>(
  database: Database,
  createTables: (sql: Sql, scopeId: number) => R,
): ScopedDatabase<R> {
  const poller = createChangePoller(database)
  return {
    async read(scope, work) {
      const { value, revision } = await database.read(async (sql) => {
        const row = await findScope(sql, scope)
        return { value: await work(createTables(sql, row.id)), revision: row.revision }
      })
      poller.noteRevision(scope, revision)
      return value
    },
    async write(scope, work) {
      const { value, revision, changed } = await database.write(scopeKey(scope), async (sql) => {
        const row = await lockScope(sql, scope)
        const tracked = trackChanges(sql)
        const result = await work(createTables(tracked.sql, row.id))
        const hasChanged = tracked.changed()
        return {
          value: { value: result, revision: hasChanged ? row.revision : row.revision - 1, changed: hasChanged },
          commit: hasChanged,
        }
      })
      poller.noteRevision(scope, revision, changed)
      return value
    },
    onChange: (listener) => poller.onChange(listener),
    pollNow: () => poller.pollNow(),
    listProjectsWithOpenItems: (user) => database.read((sql) => selectProjectsWithOpenItems(sql, user)),
    listUsersWithPendingItems: (project) => database.read((sql) => selectUsersWithPendingItems(sql, project)),
    async close() {
      poller.close()
      await database.close()
    },
  }
}

function trackChanges(sql: Sql): { readonly sql: Sql; changed(): boolean } {
  let changed = false
  const run: RunStatement = (text, ...values) => {
    changed = true
    return sql.run(text, ...values)
  }
  return { sql: { all: sql.all, run }, changed: () => changed }
}
