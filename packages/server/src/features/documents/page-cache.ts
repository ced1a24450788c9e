// LRU cache of pages, bounded by bytes, so that the next page, another section or another format needs no new fetch. Keys
// contain the user.

import type { PageClassification } from './classify-page.js'
import { buildConditionalHeaders, computeFreshness } from './http-freshness.js'
import type { PageSnapshot } from './page-snapshot.js'
import type { PageableContent } from './pageable-content.js'

const MAX_CACHE_BYTES = 24 * 1024 * 1024
/** How long a cursor can continue in a page that is no longer fresh. */
const CURSOR_RETENTION_MS = 600_000
/** Formats and sections of one page. */
const MAX_CONTENTS = 6

export interface CachedPage {
  readonly snapshot: PageSnapshot
  readonly classification: PageClassification
  /** By format and fragment. */
  readonly contents: Map<string, PageableContent>
  /** Our own words. */
  readonly notes: readonly string[]
  /** Lines with text that the page or its server chose, such as URLs: shown inside the untrusted content. */
  readonly quotes: readonly string[]
}

interface CacheEntry {
  readonly page: CachedPage
  readonly isNoStore: boolean
  storedAt: number
  freshUntil: number
}

export interface CacheHit {
  readonly page: CachedPage
  /** If false, the page must be revalidated, except to continue from a cursor. */
  readonly isFresh: boolean
  readonly ageMs: number
}

export interface PageCache {
  get(key: string): CacheHit | undefined
  put(key: string, page: CachedPage): void
  /** The server confirmed the page (304); the headers have its new lifetime. */
  markRevalidated(key: string, headers: Headers): void
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
      if (ageMs > CURSOR_RETENTION_MS && (entry.isNoStore || !canRevalidate(entry.page))) return undefined
      entries.set(key, entry)
      evictToLimit()
      return { page: entry.page, isFresh: now() < entry.freshUntil, ageMs }
    },
    put(key, page) {
      const { freshMs, isNoStore } = computeFreshness(page.snapshot.headers)
      entries.delete(key)
      entries.set(key, { page, isNoStore, storedAt: now(), freshUntil: now() + freshMs })
      evictToLimit()
    },
    markRevalidated(key, headers) {
      const entry = entries.get(key)
      if (!entry) return
      entry.storedAt = now()
      entry.freshUntil = now() + computeFreshness(headers).freshMs
    },
    clear: () => entries.clear(),
  }
}

/** Adds the content of one format and section; replaces the oldest if there are many. */
export function cacheContent({ contents }: CachedPage, key: string, content: PageableContent): void {
  const [oldest] = contents.keys()
  if (contents.size >= MAX_CONTENTS && oldest !== undefined) contents.delete(oldest)
  contents.set(key, content)
}

/** A rendered page cannot be revalidated: the server's validators apply to its source. */
export function canRevalidate({ snapshot }: CachedPage): boolean {
  return snapshot.source !== 'browser' && buildConditionalHeaders(snapshot.headers) !== undefined
}

function sizeInBytes({ snapshot, contents }: CachedPage): number {
  return [...contents.values()].reduce((sum, { content }) => sum + content.length, snapshot.bytes.length)
}
