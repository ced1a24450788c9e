// Runs the work of one transaction by the rules of both databases (sqlite.ts, postgres.ts): after a failed statement
// nothing is stored, even if the work ignores the error; a read transaction cannot write; no statement runs after the
// end. A transaction that is idle too long is aborted, so that it does not block others. Sets timers; runs statements
// only through its parameters.

import type { Sql, RunStatement, TransactionResult } from './database.js'

const IDLE_MS = 30_000

/** Throws the error of a statement rather than that of the work. */
export async function runTransaction<T>(
  raw: Sql,
  kind: 'read' | 'write',
  work: (sql: Sql) => Promise<TransactionResult<T>>,
  idleMs = IDLE_MS,
): Promise<TransactionResult<T>> {
  const failed: { error?: unknown } = {}
  const idleTimeout = createIdleTimeout(idleMs)
  let hasEnded = false

  function guard(statement: RunStatement, isAllowed: boolean): RunStatement {
    return async (text, ...values) => {
      if (hasEnded || !isAllowed)
        throw new Error(hasEnded ? 'the transaction has ended' : 'a read transaction cannot write')
      if ('error' in failed) throw failed.error
      idleTimeout.refresh()
      try {
        return await statement(text, ...values)
      } catch (error) {
        failed.error = error
        throw error
      }
    }
  }

  try {
    const sql: Sql = { engine: raw.engine, all: guard(raw.all, true), run: guard(raw.run, kind === 'write') }
    const result = await Promise.race([work(sql), idleTimeout.expired])
    if (!('error' in failed)) return result
  } catch (error) {
    if (!('error' in failed)) throw error
  } finally {
    hasEnded = true
    idleTimeout.stop()
  }
  throw failed.error
}

function createIdleTimeout(limit: number): { readonly expired: Promise<never>; refresh(): void; stop(): void } {
  let timer: NodeJS.Timeout | undefined
  const expired = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`a transaction did nothing for ${limit} ms`)), limit).unref()
  })
  return { expired, refresh: () => void timer?.refresh(), stop: () => clearTimeout(timer) }
}
