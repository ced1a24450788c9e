// SQL of the jobs that the call history keeps: rows of a user in all projects, so that the timeline of a session shows jobs
// whose server has exited. Used by call-history.ts. Reads and writes the database.

import { nullableNumberColumn, numberColumn, type Sql, type SqlRow, textColumn } from '../../storage/database.js'
import { toStorableText } from '../../text/normalize-text.js'

export interface PastJob {
  readonly project: string
  readonly session: string
  /** The server that reported it last. */
  readonly server: string
  readonly id: number
  /** In one line. */
  readonly command: string
  readonly startedAt: number
  /** Null: its end was not reported. */
  readonly endedAt: number | null
  readonly outcome: 'ok' | 'error' | 'running'
}

/** Of one user. */
const MAX_JOBS = 2000
const MAX_OF_SESSION = 100
const COLUMNS = 'project, session, server, id, command, started_at, ended_at, outcome'

export async function upsertJobs(sql: Sql, user: string, jobs: readonly PastJob[]): Promise<void> {
  const name = toStorableText(user)
  for (const { project, session, server, id, command, startedAt, endedAt, outcome } of jobs) {
    await sql.run(
      `INSERT INTO past_jobs (user_name, ${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (user_name, project, id, started_at) DO UPDATE SET
         server = excluded.server, ended_at = excluded.ended_at, outcome = excluded.outcome`,
      name,
      toStorableText(project),
      toStorableText(session),
      server,
      id,
      toStorableText(command),
      startedAt,
      endedAt,
      outcome,
    )
  }
}

/** Deletes those that started earlier, and the oldest of too many. */
export async function pruneJobs(sql: Sql, user: string, oldest: number): Promise<void> {
  const name = toStorableText(user)
  await sql.run(
    `DELETE FROM past_jobs WHERE user_name = ? AND (started_at < ? OR started_at <
       (SELECT started_at FROM past_jobs WHERE user_name = ? ORDER BY started_at DESC LIMIT 1 OFFSET ?))`,
    name,
    oldest,
    name,
    MAX_JOBS - 1,
  )
}

/** The newest 100 of a session. */
export async function listJobsOfSession(sql: Sql, user: string, session: string): Promise<readonly PastJob[]> {
  const rows = await sql.all(
    `SELECT ${COLUMNS} FROM past_jobs WHERE user_name = ? AND session = ? ORDER BY started_at DESC LIMIT ?`,
    toStorableText(user),
    toStorableText(session),
    MAX_OF_SESSION,
  )
  return rows.map(jobFromRow)
}

function jobFromRow(row: SqlRow): PastJob {
  const outcome = textColumn(row, 'outcome')
  return {
    project: textColumn(row, 'project'),
    session: textColumn(row, 'session'),
    server: textColumn(row, 'server'),
    id: numberColumn(row, 'id'),
    command: textColumn(row, 'command'),
    startedAt: numberColumn(row, 'started_at'),
    endedAt: nullableNumberColumn(row, 'ended_at'),
    outcome: outcome === 'ok' || outcome === 'running' ? outcome : 'error',
  }
}
