// SQL of the messages for a session that it did not request: callbacks that fired, late answers. A message stays
// pending until it was written to a client that accepted it. Part of `StateTables` (state.ts). Used by callbacks, late
// answers and message-delivery. Reads and writes the database.

import {
  nullableNumberColumn,
  nullableTextColumn,
  numberColumn,
  requireRow,
  type Sql,
  type SqlRow,
  textColumn,
} from '../storage/database.js'
import { allocateIds } from '../storage/scope-table.js'
import { toStorableText } from '../text/normalize-text.js'

/** Delivered messages are kept for a while, for the console; of each user in a project, as many as this. */
const MAX_DELIVERED = 1000

export interface PendingMessage {
  readonly id: number
  readonly session: string
  readonly kind: 'callback' | 'answer'
  readonly text: string
  readonly createdAt: number
  /** The file in the session's inbox folder, until its reader has taken it. */
  readonly file: string | null
}

export interface SessionMessage extends PendingMessage {
  /** Null: it waits. */
  readonly deliveredAt: number | null
}

export interface MessageTable {
  insert(message: Omit<PendingMessage, 'id' | 'file'>): Promise<PendingMessage>
  /** The undelivered messages, oldest first. */
  listPending(): Promise<readonly PendingMessage[]>
  /** The newest 100 of a session, newest first. */
  listOfSession(session: string): Promise<readonly SessionMessage[]>
  /** Returns false if it was already delivered. */
  markDelivered(id: number, by: { readonly at: number; readonly via: string }): Promise<boolean>
  /** It was marked as delivered at this time, but not sent. Its inbox file is gone. */
  markPending(id: number, deliveredAt: number): Promise<void>
  setInboxFile(id: number, file: string | null): Promise<void>
  /** Moves the pending messages of one session to another. */
  moveToSession(from: string, to: string): Promise<void>
  /** Deletes messages that were delivered before this time. */
  deleteDeliveredBefore(before: number): Promise<void>
}

const MAX_OF_SESSION = 100
const COLUMNS = 'id, session, kind, created_at, text, file'

export function createMessageTable(sql: Sql, scope: number): MessageTable {
  return {
    async insert({ session, kind, text, createdAt }) {
      const id = await allocateIds(sql, scope, 'next_message', 1)
      await sql.run(
        'DELETE FROM messages WHERE scope = ? AND id <= ? AND delivered_at IS NOT NULL',
        scope,
        id - MAX_DELIVERED,
      )
      const rows = await sql.run(
        `INSERT INTO messages (scope, ${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, NULL) RETURNING ${COLUMNS}`,
        scope,
        id,
        toStorableText(session),
        kind,
        createdAt,
        toStorableText(text),
      )
      return messageFromRow(requireRow(rows))
    },
    async listPending() {
      const rows = await sql.all(
        `SELECT ${COLUMNS} FROM messages WHERE scope = ? AND delivered_at IS NULL ORDER BY id`,
        scope,
      )
      return rows.map(messageFromRow)
    },
    async listOfSession(session) {
      const rows = await sql.all(
        `SELECT ${COLUMNS}, delivered_at FROM messages WHERE scope = ? AND session = ? ORDER BY id DESC LIMIT ?`,
        scope,
        toStorableText(session),
        MAX_OF_SESSION,
      )
      return rows.map((row) =>
        Object.assign(messageFromRow(row), { deliveredAt: nullableNumberColumn(row, 'delivered_at') }),
      )
    },
    async markDelivered(id, { at, via }) {
      const rows = await sql.run(
        'UPDATE messages SET delivered_at = ?, via = ? WHERE scope = ? AND id = ? AND delivered_at IS NULL RETURNING id',
        at,
        via,
        scope,
        id,
      )
      return rows.length > 0
    },
    async markPending(id, deliveredAt) {
      await sql.run(
        'UPDATE messages SET delivered_at = NULL, via = NULL, file = NULL WHERE scope = ? AND id = ? AND delivered_at = ?',
        scope,
        id,
        deliveredAt,
      )
    },
    async setInboxFile(id, file) {
      const storedFile = file === null ? null : toStorableText(file)
      await sql.run('UPDATE messages SET file = ? WHERE scope = ? AND id = ?', storedFile, scope, id)
    },
    async moveToSession(from, to) {
      await sql.run(
        'UPDATE messages SET session = ? WHERE scope = ? AND session = ? AND delivered_at IS NULL',
        toStorableText(to),
        scope,
        toStorableText(from),
      )
    },
    async deleteDeliveredBefore(before) {
      await sql.run('DELETE FROM messages WHERE scope = ? AND delivered_at < ?', scope, before)
    },
  }
}

function messageFromRow(row: SqlRow): PendingMessage {
  return {
    id: numberColumn(row, 'id'),
    session: textColumn(row, 'session'),
    kind: textColumn(row, 'kind') === 'answer' ? 'answer' : 'callback',
    createdAt: numberColumn(row, 'created_at'),
    text: textColumn(row, 'text'),
    file: nullableTextColumn(row, 'file'),
  }
}
