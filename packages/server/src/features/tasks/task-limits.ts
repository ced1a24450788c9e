// Bounds what the tasks of one user in one project may hold. Completed tasks are deleted first, oldest first; open ones
// are never deleted, so that a user with too many of them has to complete some. Used by task-table. Deletes rows in the
// transaction of its caller.

import { Failure } from '@scorpiox/mcp/errors'
import { numberColumn, requireRow, type Sql } from '../../storage/database.js'

const MAX_TASKS = 200_000
/** Of names and steps together. */
const MAX_CHARACTERS = 16_000_000
/** Adding up the lengths takes time, so it is done once for so many new tasks or steps. */
const CHECK_EVERY = 50

/** To be called in the transaction that adds tasks or steps with these ids. */
export async function enforceTaskLimits(sql: Sql, scope: number, firstId: number, count: number): Promise<void> {
  if (Math.floor((firstId - 1) / CHECK_EVERY) === Math.floor((firstId + count - 1) / CHECK_EVERY)) return
  const excess = await sql.all(SELECT_EXCESS, scope, MAX_TASKS, MAX_CHARACTERS)
  for (const row of excess) await deleteCompletedTask(sql, scope, numberColumn(row, 'id'))
  const { tasks, characters } = await measureTasks(sql, scope)
  if (tasks <= MAX_TASKS && characters <= MAX_CHARACTERS) return
  throw new Failure(
    `The open tasks of this project hold ${tasks} tasks and ${characters} characters; at most ${MAX_TASKS} and ` +
      `${MAX_CHARACTERS} are kept. Nothing was changed: complete tasks that are done first.`,
  )
}

/** Open tasks count first, then completed ones from the newest on. */
const SELECT_EXCESS = `SELECT id FROM (
  SELECT id, completed_at, row_number() OVER kept_first AS place, sum(length(search)) OVER kept_first AS characters
  FROM tasks WHERE scope = ?
  WINDOW kept_first AS (ORDER BY CASE WHEN completed_at IS NULL THEN 0 ELSE 1 END, id DESC)
) AS ranked WHERE completed_at IS NOT NULL AND (place > ? OR characters > ?) ORDER BY id`

async function deleteCompletedTask(sql: Sql, scope: number, id: number): Promise<void> {
  await sql.run('DELETE FROM steps WHERE scope = ? AND task = ?', scope, id)
  await sql.run('DELETE FROM tasks WHERE scope = ? AND id = ?', scope, id)
  await sql.run(
    `UPDATE scopes SET tasks = tasks - 1, current_task = CASE WHEN current_task = ? THEN NULL ELSE current_task END
     WHERE id = ?`,
    id,
    scope,
  )
}

async function measureTasks(sql: Sql, scope: number): Promise<{ readonly tasks: number; readonly characters: number }> {
  const rows = await sql.all(
    'SELECT count(*) AS tasks, CAST(coalesce(sum(length(search)), 0) AS BIGINT) AS characters FROM tasks WHERE scope = ?',
    scope,
  )
  const row = requireRow(rows)
  return { tasks: numberColumn(row, 'tasks'), characters: numberColumn(row, 'characters') }
}
