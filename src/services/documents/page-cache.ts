// LRU cache of pages, bounded by bytes, so that the next page, another section or another format needs no new fetch. Keys
// contain the user.

import type { Copy } from './copy.js'
import { freshnessOf, validatorsOf } from './freshness.js'
import type { Prepared } from './prepared.js'
import type { Verdict } from './verdict.js'

const MAX_CACHE_BYTES = 24 * 1024 * 1024
/** How long a cursor can continue in a page that is no longer fresh. */
const CURSOR_RETENTION_MS = 600_000
/** Formats and sections of one page. */
const MAX_CONTENTS = 6

export interface Kept {
  readonly copy: Copy
  readonly verdict: Verdict
  /** By format and fragment. */
  readonly readings: Map<string, Prepared>
  readonly notes: readonly string[]
}

interface CacheEntry {
  readonly page: Kept
  readonly isNoStore: boolean
  storedAt: number
  freshUntil: number
}

export interface CacheHit {
  readonly kept: Kept
  /** If false, the page must be revalidated, except to continue from a cursor. */
  readonly isFresh: boolean
  readonly ageMs: number
}

export interface PageCache {
  get(key: string): CacheHit | undefined
  put(key: string, page: Kept): void
  /** The server confirmed the page (304); the headers have its new lifetime. */
  renew(key: string, headers: Headers): void
  clear(): void
}

export function createPageCache(now: () => number, maxBytes = MAX_CACHE_BYTES): PageCache {
  const entries = new Map<string, CacheEntry>()

  function evictToLimit(): void {
    let total = 0
    for (const [key, { page }] of [...entries].toReversed()) {
      total += sizeInBytes(page)
      if (total > maxBytes) entries.delete(key)
    }
  }

  return {
    get(key) {
      const entry = entries.get(key)
      if (!entry) return undefined
      const ageMs = now() - entry.storedAt
      entries.delete(key)
      if (ageMs > CURSOR_RETENTION_MS && (entry.isNoStore || !isAskable(entry.page))) return undefined
      entries.set(key, entry)
      evictToLimit()
      return { kept: entry.page, isFresh: now() < entry.freshUntil, ageMs }
    },
    put(key, page) {
      const { freshMs, isPassing } = freshnessOf(page.copy.headers)
      entries.delete(key)
      entries.set(key, { page, isNoStore: isPassing, storedAt: now(), freshUntil: now() + freshMs })
      evictToLimit()
    },
    renew(key, headers) {
      const entry = entries.get(key)
      if (!entry) return
      entry.storedAt = now()
      entry.freshUntil = now() + freshnessOf(headers).freshMs
    },
    clear: () => entries.clear(),
  }
}

/** Adds the content of one format and section; replaces the oldest if there are many. */
export function keepReading({ readings }: Kept, key: string, content: Prepared): void {
  const [oldest] = readings.keys()
  if (readings.size >= MAX_CONTENTS && oldest !== undefined) readings.delete(oldest)
  readings.set(key, content)
}

/** A rendered page cannot be revalidated: the server's validators apply to its source. */
export function isAskable({ copy }: Kept): boolean {
  return copy.way !== 'browser' && validatorsOf(copy.headers) !== undefined
}

function sizeInBytes({ copy, readings }: Kept): number {
  return [...readings.values()].reduce((sum, { content }) => sum + content.length, copy.bytes.length)
}
