// Many rows in few statements: each statement is a way to the server and back.

import type { Sql, SqlValue } from './sql.js'

/** Values in one statement; SQLite takes 32,766 and PostgreSQL twice as many. */
const MAX_VALUES = 1500

export async function insertRows(
  sql: Sql,
  table: string,
  columns: readonly string[],
  rows: readonly (readonly SqlValue[])[],
): Promise<void> {
  const places = `(${columns.map(() => '?').join(', ')})`
  const size = Math.floor(MAX_VALUES / columns.length)
  for (let at = 0; at < rows.length; at += size) {
    const chunk = rows.slice(at, at + size)
    await sql.run(
      `INSERT INTO ${table} (${columns.join(', ')}) VALUES ${chunk.map(() => places).join(', ')}`,
      ...chunk.flat(),
    )
  }
}
