// Transactions on the rows that several machines share: writes carry the fence of the workspace, and those that are
// idempotent are repeated after a lost connection, because a write that failed may have been stored. Used by the
// shared-* modules of this folder and by job-ledger.ts. Writes the database; waits on a timer between attempts.

import { setTimeout as sleep } from 'node:timers/promises'

import { Failure } from '@scorpiox/mcp/errors'
import type { Sql } from '../storage/database.js'
import { isConnectionLost } from '../storage/postgres-errors.js'
import { scopeKey } from '../storage/scope-table.js'
import type { Scope } from '../storage/scoped-database.js'
import type { Membership } from './membership.js'

const RETRY_MS = 250
/** As long as a failover of the database may take. */
const MAX_RETRY_MS = 15_000

export type FencedDatabase = Pick<Membership, 'database' | 'fence'>

/** Throws a Failure, and nothing is written, unless this machine owns the workspace. */
export function writeFenced<T>(
  { database, fence }: FencedDatabase,
  scope: Scope,
  work: (sql: Sql, workspace: string) => Promise<T>,
): Promise<T> {
  const workspace = scopeKey(scope)
  return database.write(`shared ${workspace}`, async (sql) => {
    await fence(sql, scope)
    return { value: await work(sql, workspace), commit: true }
  })
}

/** Repeats a write for as long as the database cannot be reached, up to a limit. The write must be idempotent. */
export async function retryIdempotent<T>(write: () => Promise<T>, limitMs = MAX_RETRY_MS): Promise<T> {
  const startedAt = performance.now()
  for (;;) {
    try {
      return await write()
    } catch (error) {
      if (!isWorthRetrying(error) || performance.now() - startedAt > limitMs) throw error
      await sleep(RETRY_MS, undefined, { ref: false })
    }
  }
}

/** The connection broke, or the server is about to become the primary. */
function isWorthRetrying(error: unknown): boolean {
  const cause = error instanceof Failure ? error.cause : error
  const state = typeof cause === 'object' && cause !== null && 'code' in cause ? cause.code : undefined
  return cause !== undefined && (isConnectionLost(cause) || state === '25006')
}
