// The service behind ReadDocs: looks in the page cache, otherwise fetches the page, and builds the result. Concurrent
// reads of one page share one fetch, and each read has a total deadline.

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
/** Characters of a result besides the page: URL, outline, markers and notes. */
const NON_PAGE_CHARS = 2000
/** Time after the deadline in which a partial result is still accepted. */
const PARTIAL_RESULT_GRACE_MS = 1000

export interface Documents {
  /** A page that does not exist is a result with that status. Throws a Failure if the page cannot be fetched or read. */
  read(request: Wish, context: Reader): Promise<Document>
  close(): Promise<void>
}

export interface Reader {
  readonly user: string
  /** Name of the MCP client; it limits the length of a result. */
  readonly client: string
  readonly signal: AbortSignal
  readonly tell: (message: string) => void
}

export interface Means {
  readonly ask: Ask
  readonly extractor: Extractor
  readonly browser: Pick<Browser, 'render' | 'close'>
  readonly maxChars: number
  /** Time limit of one read, without the requested wait_ms. */
  readonly totalMs?: number
}

export function createDocuments({ ask, extractor, browser, maxChars, totalMs = TOTAL_MS }: Means): Documents {
  const cache = createPageCache(() => performance.now())
  const cacheLookup = createRecent(cache, extractor)
  const sharedFetches = createFlights<Kept>()
  const limiter = createQueues()

  function fetchShared(request: Wish, { user, signal, tell }: Reader): Promise<Kept> {
    const preferredType = tasteOf(request)
    const cacheKey = markOf(user, request, preferredType)
    return sharedFetches.join(cacheKey, signal, (abortSignal) =>
      withTotalDeadline(totalMs + request.waitMs, abortSignal, request, (time) =>
        limiter.inTurn(user, time.signal, () =>
          fetchOrRevalidate(cacheKey, { wish: request, taste: preferredType, ask, extractor, browser, tell, ...time }),
        ),
      ),
    )
  }

  /** Revalidates a cached page if possible; otherwise fetches the page. */
  async function fetchOrRevalidate(cacheKey: string, context: Trip): Promise<Kept> {
    const cached = cache.get(cacheKey)?.kept
    const page = cached && isAskable(cached) ? await renew(cacheKey, cached, context, cache) : await climb(context)
    const { status } = page.verdict
    if (page.copy !== cached?.copy && (status === 'ok' || status === 'paywall')) cache.put(cacheKey, page)
    return page
  }

  return {
    async read(request, context) {
      const { user, client, signal } = context
      const maxPageChars = Math.min(maxChars, resultCharactersFor(client) - NON_PAGE_CHARS)
      try {
        const page = (await cacheLookup.find(request, user, signal)) ?? (await fetchShared(request, context))
        return documentOf(page, await cacheLookup.prepared(page, request, signal), request, maxPageChars)
      } catch (error) {
        throw signal.aborted ? abortedFailure(request, error) : error
      }
    },
    async close() {
      cache.clear()
      await Promise.allSettled([browser.close(), extractor.close()])
    },
  }
}

interface ReadTime {
  readonly left: Trip['left']
  readonly signal: AbortSignal
}

async function withTotalDeadline<T>(
  ms: number,
  abortSignal: AbortSignal,
  request: Wish,
  work: (time: ReadTime) => Promise<T>,
): Promise<T> {
  const endsAt = performance.now() + ms
  const softLimit = deadline(ms, abortSignal)
  const hardLimit = deadline(ms + PARTIAL_RESULT_GRACE_MS, abortSignal)
  try {
    return await orAborted(work({ left: () => endsAt - performance.now(), signal: softLimit.signal }), hardLimit.signal)
  } catch (error) {
    if (abortSignal.aborted) throw abortedFailure(request, error)
    if (!softLimit.signal.aborted) throw error
    const message = `Reading ${request.url} took longer than ${Math.round(ms / 1000)} s.`
    throw new FetchFailure('timeout', message, { cause: error })
  } finally {
    softLimit.clear()
    hardLimit.clear()
  }
}

function abortedFailure({ url }: Wish, cause: unknown): FetchFailure {
  return new FetchFailure('aborted', `The request for ${url} was cancelled.`, { cause })
}
