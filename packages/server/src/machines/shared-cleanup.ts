// Deletes what has expired of the rows that several machines share, whichever machine they belong to: at the start and
// every ten minutes. Started by shared-stores.ts of the app. Writes the database on a timer.

import type { Database } from '../storage/database.js'
import { DATABASE_NOW } from './machine-table.js'
import { UNUSED_SESSION_MS } from './shared-sessions.js'

const INTERVAL_MS = 10 * 60 * 1000
const DAY_MS = 24 * 60 * 60 * 1000
/** A key is used for a week, and a state lasts 25 days at most. */
const KEY_MS = 40 * DAY_MS
/** As for the files of jobs. */
const ENDED_JOB_MS = 7 * DAY_MS
/** A job without a recorded end, of a machine that is gone. */
const OLD_JOB_MS = 90 * DAY_MS

const STATEMENTS = [
  `DELETE FROM task_handles WHERE expires_at <= ${DATABASE_NOW}`,
  `DELETE FROM used_nonces WHERE expires_at <= ${DATABASE_NOW}`,
  `DELETE FROM request_state_keys WHERE created_at <= ${DATABASE_NOW} - ${KEY_MS}`,
  `DELETE FROM http_sessions WHERE used_at <= ${DATABASE_NOW} - ${UNUSED_SESSION_MS}`,
  `DELETE FROM jobs WHERE ended_at <= ${DATABASE_NOW} - ${ENDED_JOB_MS} OR started_at <= ${DATABASE_NOW} - ${OLD_JOB_MS}`,
]

/** Returns a function that stops it. Errors are ignored: the next time deletes the same rows. */
export function startSharedCleanup(database: Database): () => void {
  const cleanUp = async (): Promise<void> => {
    for (const statement of STATEMENTS) {
      await database.write('shared cleanup', async (sql) => ({ value: await sql.run(statement), commit: true }))
    }
  }
  const run = (): void => void cleanUp().catch(() => undefined)
  run()
  const timer = setInterval(run, INTERVAL_MS).unref()
  return () => clearInterval(timer)
}
