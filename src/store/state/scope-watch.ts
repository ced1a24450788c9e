// Notices that the rows of a scope have changed: by the revisions that pass by here, and by looking every now and then
// for those that other processes have raised. Looking never fails anything and never keeps the process alive.

import { keyOf } from './scope-table.js'
import { numberIn, textIn, type Database } from './sql.js'
import type { Scope } from './state.js'

const LOOK_MS = 700
const CHUNK = 100

export interface ScopeWatch {
  /** What a transaction has met, and whether it has changed something itself. */
  seen(scope: Scope, revision: number, changed?: boolean): void
  listen(listener: (scope: Scope) => void): () => void
  /** Looks at once. */
  look(): Promise<void>
  close(): void
}

interface Known {
  readonly scope: Scope
  readonly revision: number
}

export function createScopeWatch(database: Database): ScopeWatch {
  const known = new Map<string, Known>()
  const listeners = new Set<(scope: Scope) => void>()
  let timer: NodeJS.Timeout | undefined
  let looking: Promise<void> | undefined
  let isAskedAgain = false

  function seen(scope: Scope, revision: number, changed = false): void {
    const before = known.get(keyOf(scope))?.revision ?? revision
    // A reader may have seen an earlier moment than a writer that ended before it.
    if (changed || revision >= before) note(scope, revision, changed || revision > before)
  }

  function note(scope: Scope, revision: number, changed: boolean): void {
    known.set(keyOf(scope), { scope, revision })
    if (!changed) return
    // Later, so that a listener cannot spoil the answer of a transaction that is done.
    for (const listener of listeners) queueMicrotask(() => listener(scope))
  }

  function look(): Promise<void> {
    // What is changed during a look may escape it.
    isAskedAgain = true
    return (looking ??= lookOn().finally(() => (looking = undefined)))
  }

  async function lookOn(): Promise<void> {
    while (isAskedAgain) {
      isAskedAgain = false
      await lookOnce()
    }
  }

  async function lookOnce(): Promise<void> {
    if (known.size === 0) return
    try {
      if (await database.stirred()) await compare()
    } catch {
      // Whoever uses the database next hears what is wrong with it.
    }
  }

  async function compare(): Promise<void> {
    const entries = [...known]
    for (let at = 0; at < entries.length; at += CHUNK) {
      const chunk = entries.slice(at, at + CHUNK)
      const found = await revisionsOf(
        database,
        chunk.map(([key]) => key),
      )
      for (const [key, { scope, revision }] of chunk) {
        const current = found.get(key) ?? 0
        // Less than before: another file is in its place.
        if (current !== revision) note(scope, current, true)
      }
    }
  }

  return {
    seen,
    look,
    listen(listener) {
      const own = (scope: Scope): void => listener(scope)
      listeners.add(own)
      timer ??= setInterval(() => void look(), LOOK_MS).unref()
      return () => {
        listeners.delete(own)
        if (listeners.size === 0) stop()
      }
    },
    close: stop,
  }

  function stop(): void {
    clearInterval(timer)
    timer = undefined
  }
}

async function revisionsOf(database: Database, keys: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const rows = await database.read((sql) =>
    sql.all(`SELECT key, revision FROM scopes WHERE key IN (${keys.map(() => '?').join(', ')})`, ...keys),
  )
  return new Map(rows.map((row) => [textIn(row, 'key'), numberIn(row, 'revision')]))
}
