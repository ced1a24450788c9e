// Deletes a task with its steps, its entries of the index and what was counted for it. Used by task-limits, which makes
// room, and by task-table. Writes the database in the transaction of its caller.

import { numberColumn, requireRow, type Sql } from '../../storage/database.js'
import { removeTaskFromIndex } from './text-index.js'

/** Returns the characters that were counted for it. */
export async function deleteTask(sql: Sql, scope: number, id: number): Promise<number> {
  const rows = await sql.all(
    `SELECT CAST(length(search) + coalesce(
       (SELECT sum(length(steps.search)) FROM steps WHERE steps.scope = tasks.scope AND task = tasks.id), 0) AS BIGINT)
       AS characters, CASE WHEN id >= (SELECT indexed_from FROM scopes WHERE scopes.id = scope) THEN 1 ELSE 0 END
       AS counted, CASE WHEN completed_at IS NULL THEN 1 ELSE 0 END AS open, steps - steps_done AS undone
     FROM tasks WHERE scope = ? AND id = ?`,
    scope,
    id,
  )
  const row = requireRow(rows)
  const isCounted = numberColumn(row, 'counted') === 1
  const characters = isCounted ? numberColumn(row, 'characters') : 0
  const open = numberColumn(row, 'open')
  if (isCounted) await removeTaskFromIndex(sql, scope, id)
  await sql.run('DELETE FROM steps WHERE scope = ? AND task = ?', scope, id)
  await sql.run('DELETE FROM tasks WHERE scope = ? AND id = ?', scope, id)
  await sql.run(
    `UPDATE scopes SET tasks = tasks - 1, open_tasks = open_tasks - ?, open_steps = open_steps - ?,
       characters = characters - ?, task_revision = task_revision + 1,
       current_task = CASE WHEN current_task = ? THEN NULL ELSE current_task END
     WHERE id = ?`,
    open,
    open === 1 ? numberColumn(row, 'undone') : 0,
    characters,
    id,
    scope,
  )
  return characters
}
