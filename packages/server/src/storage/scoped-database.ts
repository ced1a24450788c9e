// Transactions over the data of one scope, that is one user in one project. The work gets typed tables, not SQL, and
// sees no other scope. An acknowledged write is durable. state.ts creates it with the tables of all features. All
// services that store data use it. Reads and writes the database.

import { createChangePoller } from './change-poller.js'
import type { Database, RunStatement, Sql } from './database.js'
import { findScope, lockScope, scopeKey, selectProjectsWithItems, selectUsersWithPendingItems } from './scope-table.js'

export interface ScopedDatabase<R> {
  /** Runs `work` in a read transaction, which sees one snapshot. Throws a Failure if the database cannot be used. */
  read<T>(scope: Scope, work: (rows: R) => Promise<T>): Promise<T>
  /**
   * Runs `work` in a write transaction, which is rolled back if it throws. Writers of a scope are serialized across
   * processes.
   */
  write<T>(scope: Scope, work: (rows: R) => Promise<T>): Promise<T>
  /**
   * Calls the listener when a scope that was used here has changed, by this process or another. Returns a function
   * that removes the listener.
   */
  onChange(listener: (scope: Scope) => void): () => void
  /** Polls now for changes of other processes. */
  pollNow(): Promise<void>
  /** The projects in which this user has a task, an open plan, question or callback, or a pending message. */
  listProjectsWithItems(user: string): Promise<readonly string[]>
  /** The users with items in this project that wait for one of their sessions. */
  listUsersWithPendingItems(project: string): Promise<readonly string[]>
  close(): Promise<void>
}

export interface Scope {
  readonly project: string
  readonly user: string
}

/** Opened on first use and shared between services. A failed attempt is repeated on the next use. */
export interface LazyDatabase<R> {
  open(): Promise<ScopedDatabase<R>>
  /** Calls back once the database is open. */
  onOpen(listener: (database: ScopedDatabase<R>) => void): void
  close(): Promise<void>
}

/**
 * Called in every write transaction of a scope, with its row locked: throws a Failure, so that nothing is written, if
 * this process may not write there.
 */
export type WriteFence = (sql: Sql, scope: Scope) => Promise<void>

/**
 * Finds the row of the scope, passes its tables to the work, and notifies listeners of changes. `fence`: for a server
 * that is one of several machines; without it every process may write.
 */
export function createScopedDatabase<R>(
  database: Database,
  createTables: (sql: Sql, scopeId: number) => R,
  fence?: WriteFence,
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
        if (fence) await fence(sql, scope)
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
    listProjectsWithItems: (user) => database.read((sql) => selectProjectsWithItems(sql, user)),
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
  return { sql: { engine: sql.engine, all: sql.all, run }, changed: () => changed }
}
