import { storableText } from '../../lib/storable-text.js'
import type { SessionRow, SessionRows } from './session-rows.js'
import { numberIn, textIn, type Sql } from './sql.js'

export function createSessionTable(sql: Sql, scope: number): SessionRows {
  return {
    async all() {
      const rows = await sql.all('SELECT name, holder, renewed_at FROM sessions WHERE scope = ? ORDER BY name', scope)
      return rows.map((row): SessionRow => ({
        name: textIn(row, 'name'),
        holder: textIn(row, 'holder'),
        renewedAt: numberIn(row, 'renewed_at'),
      }))
    },
    async hold({ name, holder, renewedAt }) {
      await sql.run(
        `INSERT INTO sessions (scope, name, holder, renewed_at) VALUES (?, ?, ?, ?)
         ON CONFLICT (scope, name) DO UPDATE SET holder = excluded.holder, renewed_at = excluded.renewed_at`,
        scope,
        storableText(name),
        storableText(holder),
        renewedAt,
      )
    },
    async release(name) {
      await sql.run('DELETE FROM sessions WHERE scope = ? AND name = ?', scope, storableText(name))
    },
  }
}
