// A row for each user in each project: its counters, its current task, and a revision that every write raises.

import { createHash } from 'node:crypto'

import { storableText } from '../../lib/storable-text.js'
import { numberIn, onlyRow, textIn, type Sql, type SqlRow } from './sql.js'
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

/** Projects that are looked at together. */
const MAX_PROJECTS = 50

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
  counter: 'next_task' | 'next_step' | 'next_plan' | 'next_question' | 'next_message',
  count: number,
): Promise<number> {
  const rows = await sql.run(
    `UPDATE scopes SET ${counter} = ${counter} + ? WHERE id = ? RETURNING ${counter} AS next`,
    count,
    scope,
  )
  return numberIn(onlyRow(rows), 'next') - count
}

/** Where this user has something open, in the projects that were used last. */
export async function openProjects(sql: Sql, user: string): Promise<readonly string[]> {
  const open = [
    'open_tasks > 0',
    `EXISTS (SELECT 1 FROM plans WHERE plans.scope = scopes.id AND outcome = 'open')`,
    'EXISTS (SELECT 1 FROM questions WHERE questions.scope = scopes.id AND replies IS NULL)',
    'EXISTS (SELECT 1 FROM callbacks WHERE callbacks.scope = scopes.id)',
    'EXISTS (SELECT 1 FROM messages WHERE messages.scope = scopes.id AND delivered_at IS NULL)',
  ]
  const rows = await sql.all(
    `SELECT project FROM scopes WHERE user_name = ? AND (${open.join(' OR ')}) ORDER BY id DESC LIMIT ?`,
    storableText(user),
    MAX_PROJECTS,
  )
  return rows.map((row) => textIn(row, 'project'))
}

/** Who has something in a project that waits for a session of theirs. */
export async function waitingUsers(sql: Sql, project: string): Promise<readonly string[]> {
  const waiting = [
    'EXISTS (SELECT 1 FROM callbacks WHERE callbacks.scope = scopes.id)',
    'EXISTS (SELECT 1 FROM messages WHERE messages.scope = scopes.id AND delivered_at IS NULL)',
    'EXISTS (SELECT 1 FROM questions WHERE questions.scope = scopes.id AND delivered_at IS NULL)',
  ]
  const rows = await sql.all(
    `SELECT user_name FROM scopes WHERE project = ? AND (${waiting.join(' OR ')}) ORDER BY id`,
    storableText(project),
  )
  return rows.map((row) => textIn(row, 'user_name'))
}

function markOf(row: SqlRow): ScopeMark {
  return { id: numberIn(row, 'id'), revision: numberIn(row, 'revision') }
}
