// Detects changes of a scope (one user in one project) by comparing revisions: those that transactions report, and
// those found by polling for changes of other processes. Used by scoped-database.ts. Polling reads the database on a
// timer, ignores errors and does not keep the process alive.

import { type Database, numberColumn, textColumn } from './database.js'
import { scopeKey } from './scope-table.js'
import type { Scope } from './scoped-database.js'

const POLL_INTERVAL_MS = 700
const SCOPES_PER_QUERY = 100

export interface ChangePoller {
  /** Reports the revision that a transaction has read or written. */
  noteRevision(scope: Scope, revision: number, changed?: boolean): void
  onChange(listener: (scope: Scope) => void): () => void
  /** Polls now. */
  pollNow(): Promise<void>
  close(): void
}

interface KnownScope {
  readonly scope: Scope
  readonly revision: number
}

export function createChangePoller(database: Database): ChangePoller {
  const knownScopes = new Map<string, KnownScope>()
  const listeners = new Set<(scope: Scope) => void>()
  let timer: NodeJS.Timeout | undefined
  let polling: Promise<void> | undefined
  let isPollRequested = false

  function seen(scope: Scope, revision: number, changed = false): void {
    const previous = knownScopes.get(scopeKey(scope))?.revision ?? revision
    // A reader may have seen an older revision than a writer that finished before it.
    if (changed || revision >= previous) recordRevision(scope, revision, changed || revision > previous)
  }

  function recordRevision(scope: Scope, revision: number, changed: boolean): void {
    knownScopes.set(scopeKey(scope), { scope, revision })
    if (!changed) return
    // Deferred, so that an error in a listener does not affect the transaction.
    for (const listener of listeners) queueMicrotask(() => listener(scope))
  }

  function look(): Promise<void> {
    // A change during a poll may be missed, so another poll follows.
    isPollRequested = true
    return (polling ??= pollUntilCurrent().finally(() => (polling = undefined)))
  }

  async function pollUntilCurrent(): Promise<void> {
    while (isPollRequested) {
      isPollRequested = false
      await pollOnce()
    }
  }

  async function pollOnce(): Promise<void> {
    if (knownScopes.size === 0) return
    try {
      if (await database.mayHaveChanged()) await compareRevisions()
    } catch {
      // The next transaction reports the error.
    }
  }

  async function compareRevisions(): Promise<void> {
    const entries = [...knownScopes]
    for (let at = 0; at < entries.length; at += SCOPES_PER_QUERY) {
      const chunk = entries.slice(at, at + SCOPES_PER_QUERY)
      const revisions = await readRevisions(
        database,
        chunk.map(([key]) => key),
      )
      for (const [key, { scope, revision }] of chunk) {
        const current = revisions.get(key) ?? 0
        // A smaller revision means that the file was replaced.
        if (current !== revision) recordRevision(scope, current, true)
      }
    }
  }

  return {
    noteRevision: seen,
    pollNow: look,
    onChange(listener) {
      const ownListener = (scope: Scope): void => listener(scope)
      listeners.add(ownListener)
      timer ??= setInterval(() => void look(), POLL_INTERVAL_MS).unref()
      return () => {
        listeners.delete(ownListener)
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

async function readRevisions(database: Database, keys: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const rows = await database.read((sql) =>
    sql.all(`SELECT key, revision FROM scopes WHERE key IN (${keys.map(() => '?').join(', ')})`, ...keys),
  )
  return new Map(rows.map((row) => [textColumn(row, 'key'), numberColumn(row, 'revision')]))
}
