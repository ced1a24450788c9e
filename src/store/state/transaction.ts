// What may be done with SQL inside a transaction, the same on both databases: after a statement has failed nothing is
// kept, whatever the work makes of it; a reader writes nothing; and nothing is done when it is over. Work that waits for
// what never comes, such as another transaction, does not hold up the others for ever.

import type { Sql, Statement, Written } from './sql.js'

const IDLE_MS = 30_000

/** Throws what a statement threw before what the work did. */
export async function runTransaction<T>(
  raw: Sql,
  kind: 'read' | 'write',
  work: (sql: Sql) => Promise<Written<T>>,
  idleMs = IDLE_MS,
): Promise<Written<T>> {
  const failed: { error?: unknown } = {}
  const watch = watchIdleness(idleMs)
  let over = false

  function guarded(statement: Statement, allowed: boolean): Statement {
    return async (text, ...values) => {
      if (over || !allowed) throw new Error(over ? 'the transaction has ended' : 'a read transaction cannot write')
      if ('error' in failed) throw failed.error
      watch.refresh()
      try {
        return await statement(text, ...values)
      } catch (error) {
        failed.error = error
        throw error
      }
    }
  }

  try {
    const sql: Sql = { all: guarded(raw.all, true), run: guarded(raw.run, kind === 'write') }
    const written = await Promise.race([work(sql), watch.tooLong])
    if (!('error' in failed)) return written
  } catch (error) {
    if (!('error' in failed)) throw error
  } finally {
    over = true
    watch.stop()
  }
  throw failed.error
}

function watchIdleness(limit: number): { readonly tooLong: Promise<never>; refresh(): void; stop(): void } {
  let timer: NodeJS.Timeout | undefined
  const tooLong = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`a transaction did nothing for ${limit} ms`)), limit).unref()
  })
  return { tooLong, refresh: () => void timer?.refresh(), stop: () => clearTimeout(timer) }
}
