// What was read lately, by user, so that the next page, another section or another format of it costs nothing. As much as
// fits into a bound; what was used least recently goes first.

import type { Copy } from './copy.js'
import { freshnessOf, validatorsOf } from './freshness.js'
import type { Prepared } from './prepared.js'
import type { Verdict } from './verdict.js'

const MAX_BYTES = 24 * 1024 * 1024
/** How long whoever is in the middle of a document may go on reading it as it was. */
const READING_MS = 600_000
/** Formats and sections of one copy. */
const MAX_READINGS = 6

export interface Kept {
  readonly copy: Copy
  readonly verdict: Verdict
  /** By format and fragment. */
  readonly readings: Map<string, Prepared>
  readonly notes: readonly string[]
}

interface Entry {
  readonly kept: Kept
  readonly isPassing: boolean
  keptAt: number
  freshUntil: number
}

export interface PageCache {
  /** `isFresh` false: it has to be asked for again; only who reads on may take it as it is. */
  get(key: string): { readonly kept: Kept; readonly isFresh: boolean; readonly ageMs: number } | undefined
  put(key: string, kept: Kept): void
  /** The server says that nothing has changed, with the headers that say for how long. */
  renew(key: string, headers: Headers): void
  clear(): void
}

export function createPageCache(now: () => number, maxBytes = MAX_BYTES): PageCache {
  const entries = new Map<string, Entry>()

  function bound(): void {
    let total = 0
    for (const [key, { kept }] of [...entries].toReversed()) {
      total += sizeOf(kept)
      if (total > maxBytes) entries.delete(key)
    }
  }

  return {
    get(key) {
      const entry = entries.get(key)
      if (!entry) return undefined
      const ageMs = now() - entry.keptAt
      entries.delete(key)
      if (ageMs > READING_MS && (entry.isPassing || !isAskable(entry.kept))) return undefined
      entries.set(key, entry)
      bound()
      return { kept: entry.kept, isFresh: now() < entry.freshUntil, ageMs }
    },
    put(key, kept) {
      const { freshMs, isPassing } = freshnessOf(kept.copy.headers)
      entries.delete(key)
      entries.set(key, { kept, isPassing, keptAt: now(), freshUntil: now() + freshMs })
      bound()
    },
    renew(key, headers) {
      const entry = entries.get(key)
      if (!entry) return
      entry.keptAt = now()
      entry.freshUntil = now() + freshnessOf(headers).freshMs
    },
    clear: () => entries.clear(),
  }
}

/** Keeps a reading with its copy, in place of the oldest where there are many. */
export function keepReading({ readings }: Kept, name: string, prepared: Prepared): void {
  const [oldest] = readings.keys()
  if (readings.size >= MAX_READINGS && oldest !== undefined) readings.delete(oldest)
  readings.set(name, prepared)
}

/** What a browser made of a page is not what the server would call unchanged. */
export function isAskable({ copy }: Kept): boolean {
  return copy.way !== 'browser' && validatorsOf(copy.headers) !== undefined
}

function sizeOf({ copy, readings }: Kept): number {
  return [...readings.values()].reduce((sum, { content }) => sum + content.length, copy.bytes.length)
}
