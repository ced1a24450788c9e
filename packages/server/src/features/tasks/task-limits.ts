// Bounds what the tasks of one user in one project may hold, by the counters in the row of the scope. Completed tasks are
// deleted first, oldest first; open ones are never deleted, so that a user with too many of them has to complete some. Used
// by task-table and edit-task-rows. Deletes rows in the transaction of its caller.

import { Failure } from '@scorpiox/mcp/errors'
import { numberColumn, type Sql } from '../../storage/database.js'
import { deleteTask } from './delete-task.js'
import { createSlices } from './slices.js'

const MAX_TASKS = 200_000
/** Of names and steps together. */
const MAX_CHARACTERS = 16_000_000

export interface TaskTotals {
  readonly tasks: number
  /** Of the tasks that are counted, see `indexed_from`. */
  readonly characters: number
}

/** To be called in the transaction that adds tasks or steps, after it has counted them. */
export async function enforceTaskLimits(sql: Sql, scope: number, totals: TaskTotals): Promise<void> {
  let { tasks, characters } = totals
  const isExceeded = (): boolean => tasks > MAX_TASKS || characters > MAX_CHARACTERS
  if (!isExceeded()) return
  for await (const id of completedTasks(sql, scope)) {
    const deleted = await deleteTask(sql, scope, id)
    tasks -= 1
    characters -= deleted
    if (!isExceeded()) return
  }
  throw new Failure(
    `The open tasks of this project hold ${tasks} tasks and ${characters} characters; at most ${MAX_TASKS} and ` +
      `${MAX_CHARACTERS} are kept. Nothing was changed: complete tasks that are done first.`,
  )
}

const FIRST_SLICE = 4096

/** Oldest first. Open tasks may come before them, so that they are read in slices. */
async function* completedTasks(sql: Sql, scope: number): AsyncGenerator<number> {
  const slices = createSlices(FIRST_SLICE)
  const next = 'SELECT min(id) AS id FROM tasks WHERE scope = ? AND id >= ?'
  for (let from = 0; ;) {
    const [smallest] = await sql.all(next, scope, from)
    if (smallest?.id === null || !smallest) return
    const first = numberColumn(smallest, 'id')
    const end = first + slices.size
    const rows = await sql.all(
      'SELECT id FROM tasks WHERE scope = ? AND id >= ? AND id < ? AND completed_at IS NOT NULL ORDER BY id',
      scope,
      first,
      end,
    )
    for (const row of rows) yield numberColumn(row, 'id')
    from = end
    await slices.next()
  }
}
