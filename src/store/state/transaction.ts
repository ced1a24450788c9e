// What may be done with SQL inside a transaction, the same on both databases: after a statement has failed nothing is
// kept, whatever the work makes of it; a reader writes nothing; and nothing is done when it is over.

import type { Sql, Statement, Written } from './sql.js'

export interface Transaction {
  /** Throws what a statement threw before what the work did. */
  run<T>(work: (sql: Sql) => Promise<Written<T>>): Promise<Written<T>>
}

export function createTransaction(raw: Sql, kind: 'read' | 'write'): Transaction {
  const failed: { error?: unknown } = {}
  let over = false

  function guarded(statement: Statement, allowed: boolean): Statement {
    return async (text, ...values) => {
      if (over || !allowed) throw new Error(over ? 'a transaction is used after its end' : 'a reader wants to write')
      if ('error' in failed) throw failed.error
      try {
        return await statement(text, ...values)
      } catch (error) {
        failed.error = error
        throw error
      }
    }
  }

  const sql: Sql = { all: guarded(raw.all, true), run: guarded(raw.run, kind === 'write') }
  return {
    async run(work) {
      try {
        const written = await work(sql)
        if (!('error' in failed)) return written
      } catch (error) {
        if (!('error' in failed)) throw error
      } finally {
        over = true
      }
      throw failed.error
    },
  }
}
