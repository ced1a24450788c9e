// The counters of tasks in the row of a scope: counting rows would get slower with every task. Every change of tasks passes
// through here or increments the revision itself. Used by the modules that write tasks, and by the import of the state.
// Reads and writes the database in the transaction of its caller.

import { numberColumn, requireRow, type Sql, type SqlRow } from '../../storage/database.js'

export interface TaskCounts {
  readonly tasks: number
  readonly open: number
  /** Open steps of the open tasks. */
  readonly openSteps: number
}

/** Also records that the tasks have changed. */
export async function addToCounts(sql: Sql, scope: number, { tasks, open, openSteps }: TaskCounts): Promise<void> {
  await sql.run(
    `UPDATE scopes SET tasks = tasks + ?, open_tasks = open_tasks + ?, open_steps = open_steps + ?,
       task_revision = task_revision + 1
     WHERE id = ?`,
    tasks,
    open,
    openSteps,
    scope,
  )
}

/** For changes that leave the counters as they are. */
export const NOTHING_COUNTED: TaskCounts = { tasks: 0, open: 0, openSteps: 0 }

export async function readCounts(sql: Sql, scope: number): Promise<TaskCounts> {
  const [row] = await sql.all('SELECT tasks, open_tasks, open_steps FROM scopes WHERE id = ?', scope)
  return row ? countsFromRow(row) : NOTHING_COUNTED
}

/** Grows with every change of the tasks. */
export async function readTaskRevision(sql: Sql, scope: number): Promise<number> {
  const [row] = await sql.all('SELECT task_revision FROM scopes WHERE id = ?', scope)
  return row ? numberColumn(row, 'task_revision') : 0
}

/** Counts the rows themselves, for rows that were written without these counters. */
export async function countRows(sql: Sql, scope: number): Promise<TaskCounts> {
  const rows = await sql.all(
    `SELECT count(*) AS tasks, count(*) FILTER (WHERE completed_at IS NULL) AS open_tasks,
       CAST(coalesce(sum(steps - steps_done) FILTER (WHERE completed_at IS NULL), 0) AS BIGINT) AS open_steps
     FROM tasks WHERE scope = ?`,
    scope,
  )
  return countsFromRow(requireRow(rows))
}

function countsFromRow(row: SqlRow): TaskCounts {
  return {
    tasks: numberColumn(row, 'tasks'),
    open: numberColumn(row, 'open_tasks'),
    openSteps: numberColumn(row, 'open_steps'),
  }
}

/** As `length` of both databases counts them. */
export function countCharacters(text: string): number {
  return text.length - (text.match(/[\uDC00-\uDFFF]/g)?.length ?? 0)
}
