// Pages of the list of tasks for the console, in the order that the model sees as well. Called by the console in a read
// transaction. Reads the database only.

import type { TaskFilter, TaskRow, TaskTable } from './task-table.js'
import { parseTaskQuery } from './task-query.js'

export interface TaskListQuery {
  /** As the query of TaskManager. */
  readonly text: string
  readonly state: 'open' | 'done' | 'all'
  /** The `next` of an earlier page. */
  readonly after: number | null
}

export interface TaskListPage {
  readonly tasks: readonly TaskRow[]
  /** On this page and those after it. */
  readonly found: number
  /** Whether more match than `found` says. */
  readonly hasUncounted: boolean
  /** Null: there are no more. */
  readonly next: number | null
}

const PAGE = 100
/** Counting more would take longer. */
const MAX_COUNTED = 10_000

export async function listTaskPage(tasks: TaskTable, { text, state, after }: TaskListQuery): Promise<TaskListPage> {
  const parsed = parseTaskQuery(text)
  const filter: TaskFilter = {
    ...parsed,
    state: state === 'all' ? parsed.state : state,
    below: after ?? undefined,
  }
  const { tasks: rows, found } = await tasks.search(filter, PAGE, MAX_COUNTED + 1)
  const last = rows.at(-1)
  return {
    tasks: rows,
    found: Math.min(found, MAX_COUNTED),
    hasUncounted: found > MAX_COUNTED,
    next: last !== undefined && found > rows.length ? last.place : null,
  }
}
