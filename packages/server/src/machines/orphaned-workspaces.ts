// Finds the users whose callbacks, messages, questions or plans wait although no machine serves them: their machine is
// gone or has released the workspace. Used by callbacks, which claim such a workspace. Reads the database.

import { type Sql, textColumn } from '../storage/database.js'
import { toStorableText } from '../text/normalize-text.js'
import { DATABASE_NOW } from './machine-table.js'

const MAX_USERS = 100

const WAITING_TABLES = [
  'callbacks',
  `messages WHERE delivered_at IS NULL`,
  `questions WHERE delivered_at IS NULL`,
  `plan_approvals WHERE delivered_at IS NULL`,
]

/** In any order, so that machines which scan at the same time do not claim the same. */
export async function selectOrphanedUsers(sql: Sql, project: string): Promise<readonly string[]> {
  const scopes = WAITING_TABLES.map((rows) => `SELECT scope FROM ${rows}`).join(' UNION ')
  const rows = await sql.all(
    `SELECT user_name FROM scopes WHERE project = ? AND id IN (${scopes}) AND NOT EXISTS (
       SELECT 1 FROM workspaces JOIN machines ON incarnation = owner
       WHERE workspaces.key = scopes.key AND ended_at IS NULL AND expires_at > ${DATABASE_NOW})
     ORDER BY random() LIMIT ?`,
    toStorableText(project),
    MAX_USERS,
  )
  return rows.map((row) => textColumn(row, 'user_name'))
}
