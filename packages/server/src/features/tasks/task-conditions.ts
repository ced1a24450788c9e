// Conditions on rows of the table of tasks, as SQL text with its values, in the order of the list. Used by task-search and
// task-search-postgres. findListFilter reads the database; the rest is pure.

import { nullableNumberColumn, type Sql, type SqlValue } from '../../storage/database.js'
import { hasPlaces } from './move-task.js'
import type { TaskFilter } from './task-table.js'

export interface Condition {
  readonly where: string
  readonly values: readonly SqlValue[]
}

/** Returns how many more tasks are wanted. */
export type VisitCondition = (condition: Condition) => Promise<number>

/** A filter of tasks whose bounds are places in the list. */
export interface ListFilter extends Omit<TaskFilter, 'before' | 'below'> {
  /** The column with the places. */
  readonly key: 'id' | 'place'
  /** Only tasks with this place or a greater one. */
  readonly from?: number | undefined
  /** Only tasks with a smaller place. */
  readonly before?: number | undefined
}

export async function findListFilter(sql: Sql, scope: number, filter: TaskFilter): Promise<ListFilter> {
  const { before, below, ...rest } = filter
  const key = (await hasPlaces(sql, scope)) ? 'place' : 'id'
  const place = before !== undefined && key === 'place' ? await findPlace(sql, scope, before) : before
  const bounds = [place, below].filter((bound) => bound !== undefined)
  return { ...rest, key, before: bounds.length === 0 ? undefined : Math.min(...bounds) }
}

/** A task that does not exist any more had its id as place, unless it was moved. */
async function findPlace(sql: Sql, scope: number, id: number): Promise<number> {
  const [row] = await sql.all('SELECT place FROM tasks WHERE scope = ? AND id = ?', scope, id)
  return (row && nullableNumberColumn(row, 'place')) ?? id
}

/** Everything of a filter but its terms. `column` is how the bounds name the places. */
export function filterCondition(
  scope: number,
  { key, state, from, before, except, only }: ListFilter,
  column: string = key,
): Condition {
  const where = [
    'scope = ?',
    ...(from === undefined ? [] : [`${column} >= ?`]),
    ...(before === undefined ? [] : [`${column} < ?`]),
    ...(except === undefined ? [] : ['id <> ?']),
    ...(only === undefined ? [] : ['id = ?']),
    ...(state === undefined ? [] : [`completed_at IS ${state === 'open' ? 'NULL' : 'NOT NULL'}`]),
    // The index contains only these.
    ...(key === 'place' ? [`${column} IS NOT NULL`] : []),
  ].join(' AND ')
  return { where, values: [scope, from, before, except, only].filter((number) => number !== undefined) }
}

export function joinConditions(...conditions: readonly Condition[]): Condition {
  return {
    where: conditions.map(({ where }) => where).join(' AND '),
    values: conditions.flatMap(({ values }) => values),
  }
}
