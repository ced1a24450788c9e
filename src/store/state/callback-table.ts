import { storableText } from '../../lib/storable-text.js'
import type { CallbackRow, CallbackRows } from './callback-rows.js'
import { numberIn, numberOrNullIn, textIn, textOrNullIn, type Sql, type SqlRow } from './sql.js'

const COLUMNS =
  'session, slot, message, set_at, delay_ms, repeats_left, fire_at, fire_uptime, boot, job, pattern, position'

export function createCallbackTable(sql: Sql, scope: number): CallbackRows {
  const remove = async (session: string, slot: number): Promise<void> => {
    const storedSession = storableText(session)
    await sql.run('DELETE FROM callbacks WHERE scope = ? AND session = ? AND slot = ?', scope, storedSession, slot)
  }
  return {
    async all() {
      const rows = await sql.all(`SELECT ${COLUMNS} FROM callbacks WHERE scope = ? ORDER BY session, slot`, scope)
      return rows.map(callbackFromRow)
    },
    async put(row) {
      await remove(row.session, row.slot)
      await sql.run(
        `INSERT INTO callbacks (scope, ${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        scope,
        storableText(row.session),
        row.slot,
        storableText(row.message),
        row.setAt,
        row.delayMs,
        row.repeatsLeft,
        row.fireAt,
        row.fireUptime,
        storableText(row.boot),
        row.job,
        row.pattern === null ? null : storableText(row.pattern),
        row.position,
      )
    },
    remove,
  }
}

function callbackFromRow(row: SqlRow): CallbackRow {
  return {
    session: textIn(row, 'session'),
    slot: numberIn(row, 'slot'),
    message: textIn(row, 'message'),
    setAt: numberIn(row, 'set_at'),
    delayMs: numberIn(row, 'delay_ms'),
    repeatsLeft: numberIn(row, 'repeats_left'),
    fireAt: numberOrNullIn(row, 'fire_at'),
    fireUptime: numberOrNullIn(row, 'fire_uptime'),
    boot: textIn(row, 'boot'),
    job: numberOrNullIn(row, 'job'),
    pattern: textOrNullIn(row, 'pattern'),
    position: numberOrNullIn(row, 'position'),
  }
}
