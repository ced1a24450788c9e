// Conditions on rows of the table of tasks, as SQL text with its values. Used by task-search and
// task-search-postgres. Pure.

import type { SqlValue } from '../../storage/database.js'
import type { TaskFilter } from './task-table.js'

export interface Condition {
  readonly where: string
  readonly values: readonly SqlValue[]
}

/** Returns how many more tasks are wanted. */
export type VisitCondition = (condition: Condition) => Promise<number>

/** Everything of a filter but its terms. `id` is how the bounds name the column. */
export function filterCondition(scope: number, { state, from, before, except }: TaskFilter, id = 'id'): Condition {
  const where = [
    'scope = ?',
    ...(from === undefined ? [] : [`${id} >= ?`]),
    ...(before === undefined ? [] : [`${id} < ?`]),
    ...(except === undefined ? [] : [`${id} <> ?`]),
    ...(state === undefined ? [] : [`completed_at IS ${state === 'open' ? 'NULL' : 'NOT NULL'}`]),
  ].join(' AND ')
  return { where, values: [scope, from, before, except].filter((number) => number !== undefined) }
}

export function joinConditions(...conditions: readonly Condition[]): Condition {
  return {
    where: conditions.map(({ where }) => where).join(' AND '),
    values: conditions.flatMap(({ values }) => values),
  }
}
