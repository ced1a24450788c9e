// The service behind ReadDocs: looks in the page cache, otherwise fetches the page, and builds the result. Concurrent reads
// of one page share one fetch, and each read has a total deadline. openDocumentReader builds it from the settings and is
// called by services.ts of the app. Sends HTTP requests, starts worker threads (extractor) and, for pages that need it, a
// browser.

import type { Log } from '@scorpiox/mcp/log'
import type { PatternMatcher } from '../../patterns/pattern-matcher.js'
import { openBrowserPool } from '../../browser/browser-pool.js'
import type { PageRenderer } from '../../browser/page-renderer.js'
import type { Config } from '../../config/load-config.js'
import { FetchFailure } from '../../guarded-fetch/fetch-failure.js'
import type { GuardedFetch } from '../../guarded-fetch/guarded-fetch.js'
import { createWorkerEnvironment } from '../../process/worker-processes.js'
import { maxResultCharacters } from '../../text/result-limit.js'
import { createTimeoutSignal, rejectOnAbort } from '../../async/timeouts.js'
import { createPerUserLimiter, createSingleFlight } from '../../async/concurrency.js'
import { buildCacheKey, choosePreferredType, createCacheLookup } from './cache-lookup.js'
import type { DocumentRequest } from './document-request.js'
import { buildDocumentResult, type DocumentResult } from './document-result.js'
import type { Extractor } from './extract/extract-types.js'
import { openExtractor } from './extract/extractor.js'
import type { FetchContext } from './fetch-context.js'
import { loadPage, revalidatePage } from './load-page.js'
import { type CachedPage, canRevalidate, createPageCache } from './page-cache.js'
import { createPageFetcher, type FetchPage, USER_AGENT_HEADER } from './page-fetcher.js'
import { createRobotsPolicy } from './robots-txt.js'

const TOTAL_MS = 45_000
/** At the same time, because each page may take as much memory as a page may have. */
const MAX_READS = 12
const MAX_READS_PER_USER = 4
/** Characters of a result besides the page: URL, outline, markers and notes. */
const NON_PAGE_CHARS = 2000
/** Time after the deadline in which a partial result is still accepted. */
const PARTIAL_RESULT_GRACE_MS = 1000

export interface DocumentReader {
  /** A page that does not exist is a result with that status. Throws a Failure if the page cannot be fetched or read. */
  read(request: DocumentRequest, context: DocumentReadContext): Promise<DocumentResult>
  close(): Promise<void>
}

export interface DocumentReadContext {
  readonly user: string
  /** Name of the MCP client; it limits the length of a result. */
  readonly client: string
  readonly signal: AbortSignal
  readonly reportProgress: (message: string) => void
}

export interface DocumentReaderDeps {
  readonly fetchPage: FetchPage
  readonly extractor: Extractor
  readonly browser: Pick<PageRenderer, 'render' | 'close'>
  readonly patterns: () => Promise<PatternMatcher>
  readonly maxChars: number
  /** Time limit of one read, without the requested wait_ms. */
  readonly totalMs?: number
}

export function createDocumentReader({
  fetchPage,
  extractor,
  browser,
  patterns,
  maxChars,
  totalMs = TOTAL_MS,
}: DocumentReaderDeps): DocumentReader {
  const cache = createPageCache(() => performance.now())
  const cacheLookup = createCacheLookup(cache, extractor)
  const sharedFetches = createSingleFlight<CachedPage>()
  const limiter = createPerUserLimiter(MAX_READS, MAX_READS_PER_USER)

  function fetchShared(
    request: DocumentRequest,
    { user, signal, reportProgress }: DocumentReadContext,
  ): Promise<CachedPage> {
    const preferredType = choosePreferredType(request)
    const cacheKey = buildCacheKey(user, request, preferredType)
    return sharedFetches.run(cacheKey, signal, (abortSignal) =>
      withTotalDeadline(totalMs + request.waitMs, abortSignal, request, (time) =>
        limiter.run(user, time.signal, () =>
          fetchOrRevalidate(cacheKey, {
            request,
            preferredType,
            fetchPage,
            extractor,
            browser,
            reportProgress,
            ...time,
          }),
        ),
      ),
    )
  }

  /** Revalidates a cached page if possible; otherwise fetches the page. */
  async function fetchOrRevalidate(cacheKey: string, context: FetchContext): Promise<CachedPage> {
    const cached = cache.get(cacheKey)?.page
    const page =
      cached && canRevalidate(cached) ? await revalidatePage(cacheKey, cached, context, cache) : await loadPage(context)
    const { status } = page.classification
    if (page.snapshot !== cached?.snapshot && (status === 'ok' || status === 'paywall')) cache.put(cacheKey, page)
    return page
  }

  return {
    async read(request, context) {
      const { user, client, signal } = context
      const maxPageChars = Math.min(maxChars, maxResultCharacters(client) - NON_PAGE_CHARS)
      try {
        const page = (await cacheLookup.find(request, user, signal)) ?? (await fetchShared(request, context))
        return await buildDocumentResult(page, await cacheLookup.contentFor(page, request, signal), request, {
          maxChars: maxPageChars,
          matcherFor: async (pattern) => (await patterns()).matcherFor(user, pattern),
        })
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
  readonly remainingMs: FetchContext['remainingMs']
  readonly signal: AbortSignal
}

async function withTotalDeadline<T>(
  ms: number,
  abortSignal: AbortSignal,
  request: DocumentRequest,
  work: (time: ReadTime) => Promise<T>,
): Promise<T> {
  const endsAt = performance.now() + ms
  const softLimit = createTimeoutSignal(ms, [abortSignal])
  const hardLimit = createTimeoutSignal(ms + PARTIAL_RESULT_GRACE_MS, [abortSignal])
  try {
    return await rejectOnAbort(
      work({ remainingMs: () => endsAt - performance.now(), signal: softLimit.signal }),
      hardLimit.signal,
    )
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

function abortedFailure({ url }: DocumentRequest, cause: unknown): FetchFailure {
  return new FetchFailure('aborted', `The request for ${url} was cancelled.`, { cause })
}

interface OpenDocumentReaderDeps {
  readonly config: Config
  readonly log: Log
  readonly guardedFetch: GuardedFetch
  readonly patterns: () => Promise<PatternMatcher>
}

/** Creates the service behind ReadDocs from the settings. */
export function openDocumentReader({ config, log, guardedFetch, patterns }: OpenDocumentReaderDeps): DocumentReader {
  const { READDOCS_MAX_CHARS: maxChars, READDOCS_ROBOTS: asksRobots } = config.settings
  const robots = asksRobots ? createRobotsPolicy(guardedFetch, USER_AGENT_HEADER) : undefined
  const extractor = openExtractor({
    partsDir: config.partsDir,
    env: createWorkerEnvironment(config.childEnv),
  })
  return createDocumentReader({
    fetchPage: createPageFetcher(guardedFetch, robots),
    extractor,
    browser: openBrowserPool({ config, guardedFetch, log }),
    patterns,
    maxChars,
  })
}
