// Inserts many rows with few statements, because each statement is a round trip.

import type { Sql, SqlValue } from './sql.js'

/** Values per statement; the limit of SQLite is 32,766, that of PostgreSQL twice as many. */
const MAX_VALUES = 1500

export async function insertRows(
  sql: Sql,
  table: string,
  columns: readonly string[],
  rows: readonly (readonly SqlValue[])[],
): Promise<void> {
  const placeholders = `(${columns.map(() => '?').join(', ')})`
  const rowsPerStatement = Math.floor(MAX_VALUES / columns.length)
  for (let at = 0; at < rows.length; at += rowsPerStatement) {
    const chunk = rows.slice(at, at + rowsPerStatement)
    await sql.run(
      `INSERT INTO ${table} (${columns.join(', ')}) VALUES ${chunk.map(() => placeholders).join(', ')}`,
      ...chunk.flat(),
    )
  }
}
