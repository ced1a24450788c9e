// LRU cache of pages in memory, bounded by bytes, so that the next page, another section or another format needs no new
// fetch; how long a page is fresh follows from its HTTP headers. A page that is not used for ten minutes is dropped. Keys
// contain the user. Used by document-reader. Sets a timer while it holds pages, which does not keep the process alive.

import type { PageClassification } from './classify-page.js'
import type { PageSnapshot } from './page-fetcher.js'
import type { PageableContent } from './pageable-content.js'

const MAX_CACHE_BYTES = 24 * 1024 * 1024
/** How long a cursor can continue in a page that is no longer fresh, and how long a page is kept without use. */
const CURSOR_RETENTION_MS = 600_000
const DROP_DELAY_MS = 30_000
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
  usedAt: number
}

interface CacheHit {
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
  readonly size: number
  clear(): void
}

export function createPageCache(now: () => number, maxBytes = MAX_CACHE_BYTES): PageCache {
  // The least recently used first.
  const entries = new Map<string, CacheEntry>()
  let timer: NodeJS.Timeout | undefined

  function use(key: string, entry: CacheEntry): void {
    entry.usedAt = now()
    entries.delete(key)
    entries.set(key, entry)
    evictToLimit()
    timer ??= setTimeout(dropUnused, CURSOR_RETENTION_MS).unref()
  }

  function dropUnused(): void {
    timer = undefined
    for (const [key, { usedAt }] of entries) {
      const untilDropMs = usedAt + CURSOR_RETENTION_MS - now()
      if (untilDropMs <= 0) entries.delete(key)
      // With those that will be due soon, so that not every page has a timer of its own.
      else return void (timer = setTimeout(dropUnused, untilDropMs + DROP_DELAY_MS).unref())
    }
  }

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
      if (ageMs > CURSOR_RETENTION_MS && (entry.isNoStore || !canRevalidate(entry.page))) {
        entries.delete(key)
        return undefined
      }
      use(key, entry)
      return { page: entry.page, isFresh: now() < entry.freshUntil, ageMs }
    },
    put(key, page) {
      const { freshMs, isNoStore } = computeFreshness(page.snapshot.headers)
      use(key, { page, isNoStore, storedAt: now(), freshUntil: now() + freshMs, usedAt: now() })
    },
    markRevalidated(key, headers) {
      const entry = entries.get(key)
      if (!entry) return
      entry.storedAt = now()
      entry.freshUntil = now() + computeFreshness(headers).freshMs
    },
    get size() {
      return entries.size
    },
    clear() {
      clearTimeout(timer)
      timer = undefined
      entries.clear()
    },
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

const MAX_FRESH_MS = 300_000
/** Without caching headers. */
const DEFAULT_FRESH_MS = 60_000

export interface HttpFreshness {
  readonly freshMs: number
  /** Cache-Control: no-store. The page is kept only for cursors of a read in progress. */
  readonly isNoStore: boolean
}

/** How long a page is fresh by its headers, at most five minutes. */
export function computeFreshness(headers: Headers): HttpFreshness {
  const directives = parseDirectives(headers.get('cache-control') ?? '')
  if (directives.has('no-store')) return { freshMs: 0, isNoStore: true }
  if (directives.has('no-cache') || /\bno-cache\b/i.test(headers.get('pragma') ?? '')) return boundedFreshness(0)
  const seconds = parseSeconds(directives.get('max-age'))
  if (seconds !== undefined)
    return boundedFreshness((seconds - (parseSeconds(headers.get('age') ?? undefined) ?? 0)) * 1000)
  const expires = headers.get('expires')
  return boundedFreshness(expires === null ? DEFAULT_FRESH_MS : remainingMs(expires, headers.get('date')))
}

function boundedFreshness(ms: number): HttpFreshness {
  return { freshMs: Math.min(Math.max(ms, 0), MAX_FRESH_MS), isNoStore: false }
}

function parseDirectives(directives: string): ReadonlyMap<string, string> {
  const parts = directives.toLowerCase().split(',')
  return new Map(
    parts.map((part) => {
      const [name = '', value = ''] = part.split('=')
      return [name.trim(), value.trim().replaceAll('"', '')]
    }),
  )
}

function parseSeconds(value: string | undefined): number | undefined {
  return value !== undefined && /^\d+$/.test(value.trim()) ? Number(value) : undefined
}

/** An invalid date counts as expired. */
function remainingMs(expires: string, date: string | null): number {
  const now = date === null ? Date.now() : Date.parse(date)
  const ms = Date.parse(expires) - now
  return Number.isNaN(ms) ? 0 : ms
}

/** Headers of a conditional request; undefined if the response had no validator. */
export function buildConditionalHeaders(headers: Headers): Readonly<Record<string, string>> | undefined {
  const etag = headers.get('etag')
  const lastModified = headers.get('last-modified')
  if (etag === null && lastModified === null) return undefined
  return {
    ...(etag !== null && { 'if-none-match': etag }),
    ...(lastModified !== null && { 'if-modified-since': lastModified }),
  }
}
