// Session leases in SQL: which process holds a session. The next session of the same user and project takes over a
// session whose process is dead.

import { numberColumn, type Sql, textColumn } from '../storage/database.js'
import { toStorableText } from '../text/normalize-text.js'
import type { MessageTable } from './message-table.js'

export interface SessionLease {
  readonly name: string
  /** The holding process as JSON. */
  readonly owner: string
  readonly renewedAt: number
}

/** The tables of this folder, valid during the transaction. */
export interface SessionTables {
  readonly sessions: SessionLeaseTable
  readonly messages: MessageTable
}

export interface SessionLeaseTable {
  list(): Promise<readonly SessionLease[]>
  upsert(session: SessionLease): Promise<void>
  release(name: string): Promise<void>
}

export function createSessionLeaseTable(sql: Sql, scope: number): SessionLeaseTable {
  return {
    async list() {
      const rows = await sql.all('SELECT name, holder, renewed_at FROM sessions WHERE scope = ? ORDER BY name', scope)
      return rows.map((row): SessionLease => ({
        name: textColumn(row, 'name'),
        owner: textColumn(row, 'holder'),
        renewedAt: numberColumn(row, 'renewed_at'),
      }))
    },
    async upsert({ name, owner, renewedAt }) {
      await sql.run(
        `INSERT INTO sessions (scope, name, holder, renewed_at) VALUES (?, ?, ?, ?)
         ON CONFLICT (scope, name) DO UPDATE SET holder = excluded.holder, renewed_at = excluded.renewed_at`,
        scope,
        toStorableText(name),
        toStorableText(owner),
        renewedAt,
      )
    },
    async release(name) {
      await sql.run('DELETE FROM sessions WHERE scope = ? AND name = ?', scope, toStorableText(name))
    },
  }
}
