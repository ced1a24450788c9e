// SQL of the `scopes` table. A scope is one user in one project; its row has id counters, the current task, and a
// revision that every write increments. Used by scoped-database.ts, by the tables that allocate ids, and by the export
// of the state.

import { createHash } from 'node:crypto'

import { toStorableText } from '../text/normalize-text.js'
import { numberColumn, requireRow, type Sql, type SqlRow, textColumn } from './database.js'
import type { Scope } from './scoped-database.js'

export interface ScopeRow {
  readonly id: number
  readonly revision: number
}

/** Scope ids start at 1, so no row belongs to this one. */
const NO_SCOPE: ScopeRow = { id: 0, revision: 0 }

/** A hash of project and user: an index of PostgreSQL does not accept long paths. */
export function scopeKey({ project, user }: Scope): string {
  const names = JSON.stringify([toStorableText(project), toStorableText(user)])
  return createHash('sha256').update(names).digest('hex')
}

/** The most projects to return. */
const MAX_PROJECTS = 50

export async function findScope(sql: Sql, scope: Scope): Promise<ScopeRow> {
  const rows = await sql.all('SELECT id, revision FROM scopes WHERE key = ?', scopeKey(scope))
  return rows[0] ? scopeFromRow(rows[0]) : NO_SCOPE
}

/** Inserts or updates the scope row; its lock serializes the writers of a scope. */
export async function lockScope(sql: Sql, scope: Scope): Promise<ScopeRow> {
  const rows = await sql.run(
    `INSERT INTO scopes (key, project, user_name, indexed_from) VALUES (?, ?, ?, 1)
     ON CONFLICT (key) DO UPDATE SET revision = scopes.revision + 1 RETURNING id, revision`,
    scopeKey(scope),
    toStorableText(scope.project),
    toStorableText(scope.user),
  )
  return scopeFromRow(requireRow(rows))
}

/** Allocates `count` ids, which are never reused, and returns the first. */
export async function allocateIds(
  sql: Sql,
  scope: number,
  column: 'next_task' | 'next_step' | 'next_plan' | 'next_question' | 'next_message' | 'next_approval',
  count: number,
): Promise<number> {
  const rows = await sql.run(
    `UPDATE scopes SET ${column} = ${column} + ? WHERE id = ? RETURNING ${column} AS next`,
    count,
    scope,
  )
  return numberColumn(requireRow(rows), 'next') - count
}

/** Projects in which this user has open items, then those with completed tasks only; most recent first. */
export async function selectProjectsWithItems(sql: Sql, user: string): Promise<readonly string[]> {
  const open = [
    'open_tasks > 0',
    `EXISTS (SELECT 1 FROM plans WHERE plans.scope = scopes.id AND outcome = 'open')`,
    'EXISTS (SELECT 1 FROM questions WHERE questions.scope = scopes.id AND replies IS NULL)',
    'EXISTS (SELECT 1 FROM callbacks WHERE callbacks.scope = scopes.id)',
    'EXISTS (SELECT 1 FROM messages WHERE messages.scope = scopes.id AND delivered_at IS NULL)',
  ]
  const rows = await sql.all(
    `SELECT project FROM (
       SELECT id, project, tasks, CASE WHEN ${open.join(' OR ')} THEN 1 ELSE 0 END AS open_items
       FROM scopes WHERE user_name = ?) AS projects
     WHERE open_items = 1 OR tasks > 0 ORDER BY open_items DESC, id DESC LIMIT ?`,
    toStorableText(user),
    MAX_PROJECTS,
  )
  return rows.map((row) => textColumn(row, 'project'))
}

/** Users with items in a project that wait for one of their sessions. */
export async function selectUsersWithPendingItems(sql: Sql, project: string): Promise<readonly string[]> {
  const conditions = [
    'EXISTS (SELECT 1 FROM callbacks WHERE callbacks.scope = scopes.id)',
    'EXISTS (SELECT 1 FROM messages WHERE messages.scope = scopes.id AND delivered_at IS NULL)',
    'EXISTS (SELECT 1 FROM questions WHERE questions.scope = scopes.id AND delivered_at IS NULL)',
    'EXISTS (SELECT 1 FROM plan_approvals WHERE plan_approvals.scope = scopes.id AND delivered_at IS NULL)',
  ]
  const rows = await sql.all(
    `SELECT user_name FROM scopes WHERE project = ? AND (${conditions.join(' OR ')}) ORDER BY id`,
    toStorableText(project),
  )
  return rows.map((row) => textColumn(row, 'user_name'))
}

function scopeFromRow(row: SqlRow): ScopeRow {
  return { id: numberColumn(row, 'id'), revision: numberColumn(row, 'revision') }
}
