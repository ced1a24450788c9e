// SQL of the `jobs` table: the background jobs of one user in one project that several machines share, with the machine
// that runs each, how it ended, and its last output. The number of a job comes from a counter of the scope. A row is
// written by the incarnation that runs the job. Used by job-ledger.ts of the feature `shell`. Reads and writes the
// database.

import {
  nullableNumberColumn,
  numberColumn,
  requireRow,
  type Sql,
  type SqlRow,
  textColumn,
} from '../storage/database.js'
import { scopeKey } from '../storage/scope-table.js'
import type { Scope } from '../storage/scoped-database.js'
import { toStorableText } from '../text/normalize-text.js'
import { DATABASE_NOW } from './machine-table.js'

/** Ended jobs of one user that are kept. */
const KEEP_ENDED = 50

export interface JobRow {
  readonly id: number
  /** The incarnation that runs it, or ran it last. */
  readonly owner: string
  readonly machine: string
  readonly isEnded: boolean
  /** Whether that incarnation was taken for dead, or has left. */
  readonly isOwnerGone: boolean
  readonly record: string
}

/** The last part of an output, and its offset in the whole. */
export interface OutputTail {
  readonly start: number
  readonly text: string
}

/** Numbers grow and are never reused. `above`: the highest number that is taken without this table. */
export async function allocateJobNumber(sql: Sql, scope: Scope, above: number): Promise<number> {
  const rows = await sql.run(
    `INSERT INTO scopes (key, project, user_name, next_job, indexed_from) VALUES (?, ?, ?, ?, 1) ON CONFLICT (key)
     DO UPDATE SET next_job = GREATEST(scopes.next_job + 1, excluded.next_job) RETURNING next_job`,
    scopeKey(scope),
    toStorableText(scope.project),
    toStorableText(scope.user),
    above + 2,
  )
  return numberColumn(requireRow(rows), 'next_job') - 1
}

export interface NewJobRow extends Pick<JobRow, 'id' | 'owner' | 'machine' | 'record'> {
  readonly workspace: string
}

export async function insertJob(sql: Sql, { workspace, id, owner, machine, record }: NewJobRow): Promise<void> {
  await sql.run(
    `DELETE FROM jobs WHERE workspace = ? AND id IN (
       SELECT id FROM jobs WHERE workspace = ? AND ended_at IS NOT NULL ORDER BY ended_at DESC, id DESC OFFSET ?)`,
    workspace,
    workspace,
    KEEP_ENDED,
  )
  await sql.run(
    `INSERT INTO jobs (workspace, id, owner, machine, started_at, record) VALUES (?, ?, ?, ?, ${DATABASE_NOW}, ?)
     ON CONFLICT (workspace, id) DO UPDATE SET owner = excluded.owner, machine = excluded.machine,
       record = excluded.record WHERE jobs.ended_at IS NULL`,
    workspace,
    id,
    owner,
    toStorableText(machine),
    toStorableText(record),
  )
}

export interface JobChange {
  readonly workspace: string
  readonly id: number
  readonly record: string
  readonly isEnded: boolean
}

/** Does nothing for a job that was declared lost. `owner`: the incarnation that must run it still. */
export async function updateJob(sql: Sql, { workspace, id, record, isEnded }: JobChange, owner: string): Promise<void> {
  await sql.run(
    `UPDATE jobs SET record = ?, ended_at = CASE WHEN ? = 1 THEN ${DATABASE_NOW} END
     WHERE workspace = ? AND id = ? AND owner = ? AND ended_at IS NULL AND ${OWNER_IS_THERE}`,
    toStorableText(record),
    isEnded ? 1 : 0,
    workspace,
    id,
    owner,
  )
}

/** The owner of the workspace runs the job, perhaps under a new incarnation. */
export async function adoptJob(sql: Sql, workspace: string, id: number, owner: string, machine: string): Promise<void> {
  await sql.run(
    'UPDATE jobs SET owner = ?, machine = ? WHERE workspace = ? AND id = ? AND owner <> ? AND ended_at IS NULL',
    owner,
    toStorableText(machine),
    workspace,
    id,
    owner,
  )
}

export async function updateJobOutput(
  sql: Sql,
  { workspace, id, start, text }: { readonly workspace: string; readonly id: number } & OutputTail,
  owner: string,
): Promise<void> {
  await sql.run(
    `UPDATE jobs SET output = ?, output_start = ? WHERE workspace = ? AND id = ? AND owner = ? AND ${OWNER_IS_THERE}`,
    toStorableText(text),
    start,
    workspace,
    id,
    owner,
  )
}

const OWNER_IS_THERE = 'EXISTS (SELECT 1 FROM machines WHERE incarnation = owner AND ended_at IS NULL)'

/** Declares a job lost, if it has not ended: its machine is gone. */
export async function loseJob(sql: Sql, workspace: string, id: number, record: string): Promise<void> {
  await sql.run(
    `UPDATE jobs SET ended_at = ${DATABASE_NOW}, record = ?
     WHERE workspace = ? AND id = ? AND ended_at IS NULL AND NOT ${OWNER_IS_THERE}`,
    toStorableText(record),
    workspace,
    id,
  )
}

export async function deleteJob(sql: Sql, workspace: string, id: number): Promise<void> {
  await sql.run('DELETE FROM jobs WHERE workspace = ? AND id = ?', workspace, id)
}

/** Sorted by number. */
export async function selectJobs(sql: Sql, workspace: string): Promise<readonly JobRow[]> {
  const rows = await sql.all(
    `SELECT id, owner, machine, ended_at, record, NOT ${OWNER_IS_THERE} AS gone FROM jobs
     WHERE workspace = ? ORDER BY id`,
    workspace,
  )
  return rows.map(jobFromRow)
}

export async function selectJob(sql: Sql, workspace: string, id: number): Promise<JobRow | undefined> {
  const rows = await sql.all(
    `SELECT id, owner, machine, ended_at, record, NOT ${OWNER_IS_THERE} AS gone FROM jobs
     WHERE workspace = ? AND id = ?`,
    workspace,
    id,
  )
  return rows[0] && jobFromRow(rows[0])
}

export async function selectJobOutput(sql: Sql, workspace: string, id: number): Promise<OutputTail> {
  const [row] = await sql.all('SELECT output, output_start FROM jobs WHERE workspace = ? AND id = ?', workspace, id)
  return row ? { start: numberColumn(row, 'output_start'), text: textColumn(row, 'output') } : { start: 0, text: '' }
}

function jobFromRow(row: SqlRow): JobRow {
  return {
    id: numberColumn(row, 'id'),
    owner: textColumn(row, 'owner'),
    machine: textColumn(row, 'machine'),
    isEnded: nullableNumberColumn(row, 'ended_at') !== null,
    isOwnerGone: row.gone === true,
    record: textColumn(row, 'record'),
  }
}
