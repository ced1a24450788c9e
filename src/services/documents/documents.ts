// Reads documents on the web: from what was read lately, or by the cheapest way that works. The same page is fetched once
// however many want it, and nothing takes longer than its time.

import type { Failure } from '../../lib/failure.js'
import { orAborted } from '../../lib/or-aborted.js'
import type { Browser } from '../../platform/browser/browser.js'
import { FetchFailure } from '../../platform/way-out/fetch-failure.js'
import type { Ask, Taste } from './ask.js'
import { isHtml } from './copy.js'
import { documentOf, type Document } from './document.js'
import type { Extractor } from './extract/extractor.js'
import { createFlights } from './flights.js'
import { validatorsOf } from './freshness.js'
import { climb } from './ladder.js'
import { createPageCache, isAskable, keepReading, type Kept } from './page-cache.js'
import { readPlainPage } from './plain-page.js'
import { prepare, type Prepared } from './prepared.js'
import { readingName, type Trip } from './trip.js'
import type { Wish } from './wish.js'

const TOTAL_MS = 45_000

export interface Documents {
  /** A page that is not there is a document with that verdict; what cannot be had or read is a Failure. */
  read(wish: Wish, reader: Reader): Promise<Document>
  close(): Promise<void>
}

export interface Reader {
  readonly user: string
  readonly signal: AbortSignal
  readonly tell: (message: string) => void
}

export interface Means {
  readonly ask: Ask
  readonly extractor: Extractor
  readonly browser: Pick<Browser, 'render' | 'close'>
  readonly maxChars: number
}

export function createDocuments({ ask, extractor, browser, maxChars }: Means): Documents {
  const cache = createPageCache(() => performance.now())
  const flights = createFlights<Kept>()

  async function read(wish: Wish, reader: Reader): Promise<Document> {
    const kept = (await readOn(wish, reader)) ?? (await keptLately(wish, reader)) ?? (await fetched(wish, reader))
    return documentOf(kept, await preparedOf(kept, wish, reader.signal), wish, maxChars)
  }

  /** Whoever has a cursor reads the copy on that it came from, as long as it is there. */
  async function readOn(wish: Wish, { user }: Reader): Promise<Kept | undefined> {
    const { place } = wish
    if (!place) return undefined
    const all = keysOf(user, wish).flatMap((key) => cache.get(key)?.kept ?? [])
    return all.find(({ readings }) => readings.get(readingName(wish))?.fingerprint === place.fingerprint)
  }

  async function keptLately(wish: Wish, { user, signal }: Reader): Promise<Kept | undefined> {
    const own = cache.get(keyOf(user, wish, tasteOf(wish)))
    if (own?.isFresh) return own.kept
    if (own || tasteOf(wish) === 'markdown') return undefined
    const other = cache.get(keyOf(user, wish, 'markdown'))
    if (!other?.isFresh) return undefined
    if (wish.format === 'html') return isHtml(other.kept.copy) ? other.kept : undefined
    const prepared = await preparedOf(other.kept, wish, signal)
    return prepared?.reading.hasFragment ? other.kept : undefined
  }

  function fetched(wish: Wish, { user, signal, tell }: Reader): Promise<Kept> {
    const key = keyOf(user, wish, tasteOf(wish))
    return flights.join(key, signal, async (stop) => {
      const until = performance.now() + TOTAL_MS + wish.waitMs
      const left = (): number => until - performance.now()
      const limit = AbortSignal.any([stop, AbortSignal.timeout(Math.ceil(left()))])
      const trip = { wish, taste: tasteOf(wish), ask, extractor, browser, left, tell, signal: limit }
      try {
        return await orAborted(anew(key, trip), limit)
      } catch (error) {
        if (stop.aborted) throw new FetchFailure('aborted', 'Cancelled.', { cause: error })
        if (limit.aborted) throw tooLong(wish, error)
        throw error
      }
    })
  }

  /** Asks whether there is anything newer where there is a copy, else for all of it. */
  async function anew(key: string, trip: Trip): Promise<Kept> {
    const old = cache.get(key)?.kept
    const kept = old && isAskable(old) && trip.wish.waitMs === 0 ? await askAgain(key, old, trip) : await climb(trip)
    if (kept !== old && (kept.verdict.status === 'ok' || kept.verdict.status === 'paywall')) cache.put(key, kept)
    return kept
  }

  async function askAgain(key: string, old: Kept, trip: Trip): Promise<Kept> {
    const { asked, way } = old.copy
    const headers = validatorsOf(old.copy.headers)
    try {
      const answer = await ask(asked, { taste: trip.taste, way, headers, signal: trip.signal })
      if (answer.status === 304) {
        cache.renew(key, answer.headers)
        return old
      }
      if (answer.status >= 500) return stale(old, `the server answered with status ${answer.status}`)
      return await climb(trip, () => readPlainPage(trip, way === 'twin' ? undefined : answer))
    } catch (error) {
      if (!(error instanceof FetchFailure) || trip.signal.aborted) throw error
      return stale(old, error.message)
    }
  }

  async function preparedOf(kept: Kept, wish: Wish, signal: AbortSignal): Promise<Prepared | undefined> {
    const name = readingName(wish)
    const ready = kept.readings.get(name)
    if (ready || kept.readings.size === 0) return ready
    const { url, contentType, bytes } = kept.copy
    const { format, fragment } = wish
    const reading = await orAborted(extractor.read({ url, contentType, bytes, format, fragment }, signal), signal)
    const prepared = prepare(reading, format)
    keepReading(kept, name, prepared)
    return prepared
  }

  return {
    read,
    async close() {
      cache.clear()
      await Promise.allSettled([browser.close(), extractor.close()])
    },
  }
}

/** Who wants the markup, or a section that the markup names, is given the page rather than its twin. */
function tasteOf({ format, fragment }: Wish): Taste {
  return format === 'html' || fragment !== '' ? 'page' : 'markdown'
}

function keyOf(user: string, { url, waitMs }: Wish, taste: Taste, isWaited = waitMs > 0): string {
  return JSON.stringify([user, taste, isWaited, url])
}

function keysOf(user: string, wish: Wish): readonly string[] {
  const isWaited = wish.waitMs > 0
  return [isWaited, !isWaited].flatMap((waited) => [
    keyOf(user, wish, 'markdown', waited),
    keyOf(user, wish, 'page', waited),
  ])
}

function stale(old: Kept, why: string): Kept {
  return { ...old, notes: [...old.notes, `This is what was read before: it could not be asked for again. ${why}`] }
}

function tooLong({ url, waitMs }: Wish, cause: unknown): Failure {
  const seconds = Math.round((TOTAL_MS + waitMs) / 1000)
  return new FetchFailure(
    'timeout',
    `Reading ${url} took longer than ${seconds} s and was given up: try again later.`,
    { cause },
  )
}
