import { storableText } from '../../lib/storable-text.js'
import type { MessageRow, MessageRows } from './message-rows.js'
import { takeNumbers } from './scope-table.js'
import { numberIn, onlyRow, textIn, textOrNullIn, type Sql, type SqlRow } from './sql.js'

const COLUMNS = 'id, session, kind, created_at, text, file'

export function createMessageTable(sql: Sql, scope: number): MessageRows {
  return {
    async insert({ session, kind, text, createdAt }) {
      const rows = await sql.run(
        `INSERT INTO messages (scope, ${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, NULL) RETURNING ${COLUMNS}`,
        scope,
        await takeNumbers(sql, scope, 'next_message', 1),
        storableText(session),
        kind,
        createdAt,
        storableText(text),
      )
      return messageFromRow(onlyRow(rows))
    },
    async waiting() {
      const rows = await sql.all(
        `SELECT ${COLUMNS} FROM messages WHERE scope = ? AND delivered_at IS NULL ORDER BY id`,
        scope,
      )
      return rows.map(messageFromRow)
    },
    async deliver(id, { at, via }) {
      const rows = await sql.run(
        'UPDATE messages SET delivered_at = ?, via = ? WHERE scope = ? AND id = ? AND delivered_at IS NULL RETURNING id',
        at,
        via,
        scope,
        id,
      )
      return rows.length > 0
    },
    async place(id, file) {
      const storedFile = file === null ? null : storableText(file)
      await sql.run('UPDATE messages SET file = ? WHERE scope = ? AND id = ?', storedFile, scope, id)
    },
    async readdress(from, to) {
      await sql.run(
        'UPDATE messages SET session = ? WHERE scope = ? AND session = ? AND delivered_at IS NULL',
        storableText(to),
        scope,
        storableText(from),
      )
    },
    async forget(before) {
      await sql.run('DELETE FROM messages WHERE scope = ? AND delivered_at < ?', scope, before)
    },
  }
}

function messageFromRow(row: SqlRow): MessageRow {
  return {
    id: numberIn(row, 'id'),
    session: textIn(row, 'session'),
    kind: textIn(row, 'kind') === 'answer' ? 'answer' : 'callback',
    createdAt: numberIn(row, 'created_at'),
    text: textIn(row, 'text'),
    file: textOrNullIn(row, 'file'),
  }
}
