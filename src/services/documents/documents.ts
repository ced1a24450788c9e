// Reads documents on the web: from what was read lately, or by the cheapest way that works. The same page is fetched once
// however many want it, and nothing takes longer than its time.

import { deadline } from '../../lib/deadline.js'
import { orAborted } from '../../lib/or-aborted.js'
import type { Browser } from '../../platform/browser/browser.js'
import { FetchFailure } from '../../platform/way-out/fetch-failure.js'
import type { Ask } from './ask.js'
import { documentOf, type Document } from './document.js'
import type { Extractor } from './extract/extractor.js'
import { createFlights } from './flights.js'
import { climb } from './ladder.js'
import { createPageCache, isAskable, type Kept } from './page-cache.js'
import { resultCharactersFor } from '../result-limit.js'
import { createQueues } from './queues.js'
import { createRecent } from './recent.js'
import { renew } from './renewal.js'
import { markOf, tasteOf } from './shelf-mark.js'
import type { Trip } from './trip.js'
import type { Wish } from './wish.js'

const TOTAL_MS = 45_000
/** Characters of a result besides the page: address, outline, fence and notes. */
const AROUND_PAGE = 2000
/** For whoever has something to give back when the time is up. */
const LAST_WORDS_MS = 1000

export interface Documents {
  /** A page that is not there is a document with that verdict; what cannot be had or read is a Failure. */
  read(wish: Wish, reader: Reader): Promise<Document>
  close(): Promise<void>
}

export interface Reader {
  readonly user: string
  /** The name of the client that gets the text; decides how much of a page one result has. */
  readonly client: string
  readonly signal: AbortSignal
  /** Told when it takes longer. */
  readonly tell: (message: string) => void
}

export interface Means {
  readonly ask: Ask
  readonly extractor: Extractor
  readonly browser: Pick<Browser, 'render' | 'close'>
  readonly maxChars: number
  /** For everything but what somebody wants to wait. */
  readonly totalMs?: number
}

export function createDocuments({ ask, extractor, browser, maxChars, totalMs = TOTAL_MS }: Means): Documents {
  const cache = createPageCache(() => performance.now())
  const recent = createRecent(cache, extractor)
  const flights = createFlights<Kept>()
  const queues = createQueues()

  function fetched(wish: Wish, { user, signal, tell }: Reader): Promise<Kept> {
    const taste = tasteOf(wish)
    const mark = markOf(user, wish, taste)
    return flights.join(mark, signal, (stop) =>
      inTime(totalMs + wish.waitMs, stop, wish, (time) =>
        queues.inTurn(user, time.signal, () => anew(mark, { wish, taste, ask, extractor, browser, tell, ...time })),
      ),
    )
  }

  /** Asks whether there is anything newer where there is a copy, else for all of it. */
  async function anew(mark: string, trip: Trip): Promise<Kept> {
    const old = cache.get(mark)?.kept
    const kept = old && isAskable(old) ? await renew(mark, old, trip, cache) : await climb(trip)
    const { status } = kept.verdict
    if (kept.copy !== old?.copy && (status === 'ok' || status === 'paywall')) cache.put(mark, kept)
    return kept
  }

  return {
    async read(wish, reader) {
      const { user, client, signal } = reader
      const most = Math.min(maxChars, resultCharactersFor(client) - AROUND_PAGE)
      try {
        const kept = (await recent.find(wish, user, signal)) ?? (await fetched(wish, reader))
        return documentOf(kept, await recent.prepared(kept, wish, signal), wish, most)
      } catch (error) {
        throw signal.aborted ? unwanted(wish, error) : error
      }
    },
    async close() {
      cache.clear()
      await Promise.allSettled([browser.close(), extractor.close()])
    },
  }
}

async function inTime<T>(
  ms: number,
  stop: AbortSignal,
  wish: Wish,
  work: (time: Pick<Trip, 'left' | 'signal'>) => Promise<T>,
): Promise<T> {
  const until = performance.now() + ms
  const time = deadline(ms, stop)
  const last = deadline(ms + LAST_WORDS_MS, stop)
  try {
    return await orAborted(work({ left: () => until - performance.now(), signal: time.signal }), last.signal)
  } catch (error) {
    if (stop.aborted) throw unwanted(wish, error)
    if (!time.signal.aborted) throw error
    const said = `Reading ${wish.url} took longer than ${Math.round(ms / 1000)} s and was given up.`
    throw new FetchFailure('timeout', said, { cause: error })
  } finally {
    time.clear()
    last.clear()
  }
}

function unwanted({ url }: Wish, cause: unknown): FetchFailure {
  return new FetchFailure('aborted', `${url} was no longer wanted.`, { cause })
}
