// A row for each user in each project: its counters, its current task, and a revision that every write raises.

import { createHash } from 'node:crypto'

import { storableText } from '../../lib/storable-text.js'
import { numberIn, onlyRow, type Sql, type SqlRow } from './sql.js'
import type { Scope } from './state.js'

export interface ScopeMark {
  readonly id: number
  readonly revision: number
}

/** Numbers start at 1: no row belongs to this one. */
const NOWHERE: ScopeMark = { id: 0, revision: 0 }

/** What tells one scope from another; short, because an index of PostgreSQL takes no long path. */
export function keyOf({ project, user }: Scope): string {
  const names = JSON.stringify([storableText(project), storableText(user)])
  return createHash('sha256').update(names).digest('hex')
}

export async function findScope(sql: Sql, scope: Scope): Promise<ScopeMark> {
  const rows = await sql.all('SELECT id, revision FROM scopes WHERE key = ?', keyOf(scope))
  return rows[0] ? markOf(rows[0]) : NOWHERE
}

/** Makes the row where there is none and holds it: whoever else writes to the scope waits here. */
export async function enterScope(sql: Sql, scope: Scope): Promise<ScopeMark> {
  const rows = await sql.run(
    `INSERT INTO scopes (key, project, user_name) VALUES (?, ?, ?)
     ON CONFLICT (key) DO UPDATE SET revision = scopes.revision + 1 RETURNING id, revision`,
    keyOf(scope),
    storableText(scope.project),
    storableText(scope.user),
  )
  return markOf(onlyRow(rows))
}

/** Gives the first of `count` numbers that nobody will be given again. */
export async function takeNumbers(
  sql: Sql,
  scope: number,
  counter: 'next_task' | 'next_step' | 'next_plan',
  count: number,
): Promise<number> {
  const rows = await sql.run(
    `UPDATE scopes SET ${counter} = ${counter} + ? WHERE id = ? RETURNING ${counter} AS next`,
    count,
    scope,
  )
  return numberIn(onlyRow(rows), 'next') - count
}

function markOf(row: SqlRow): ScopeMark {
  return { id: numberIn(row, 'id'), revision: numberIn(row, 'revision') }
}
