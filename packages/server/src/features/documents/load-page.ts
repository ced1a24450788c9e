// Loads a page over HTTP, then in the browser if it needs scripts or wait_ms is set. If the browser fails, the HTTP result
// is returned with a note. Also revalidates a cached page. Used by document-reader. Sends HTTP requests and may start a
// browser.

import { errorMessage, Failure } from '@scorpiox/mcp/errors'
import { FetchFailure, type FetchFailureKind } from '../../guarded-fetch/fetch-failure.js'
import { rejectOnAbort } from '../../async/timeouts.js'
import type { DocumentRequest } from './document-request.js'
import { contentKey, type FetchContext, processSnapshot } from './fetch-context.js'
import { loadOverHttp } from './load-over-http.js'
import { buildConditionalHeaders, type CachedPage, type PageCache } from './page-cache.js'
import { isHtmlSnapshot, type PageSnapshot } from './page-fetcher.js'

/** Fetch problems that a browser may not have. */
const BROWSER_MAY_HELP: ReadonlySet<FetchFailureKind> = new Set(['timeout', 'broken', 'unreachable', 'tls'])
/** Text length of the rendered page relative to the HTTP one, from which the rendered page is used. */
const MIN_RATIO_REQUESTED = 0.5
const MIN_RATIO_AUTOMATIC = 1.1

export async function loadPage(
  context: FetchContext,
  loadPlain: () => Promise<CachedPage> = () => loadOverHttp(context),
): Promise<CachedPage> {
  const isBrowserRequested = context.request.waitMs > 0 || context.request.isClientSideRoute
  const plain = await resultOrFailure(loadPlain, isBrowserRequested)
  if (plain instanceof FetchFailure) return renderAfterFailure(context, plain)
  if (!isBrowserRequested && plain.classification.browserWouldHelp === 'no') return plain
  if (!isHtmlSnapshot(plain.snapshot)) return withNote(plain, 'wait_ms was ignored: this is not an HTML page.')
  try {
    return pickBetter(plain, await loadInBrowser(context, plain), context.request, isBrowserRequested)
  } catch (error) {
    const isTimedOut = context.signal.aborted
    if (!isTimedOut && !(error instanceof Failure)) throw error
    const note = 'This is the page as fetched over HTTP; its scripts did not run.'
    return isTimedOut ? withNote(plain, `${note} The browser took too long.`) : withFailureNote(plain, note, error)
  }
}

async function resultOrFailure(
  loadPlain: () => Promise<CachedPage>,
  isBrowserRequested: boolean,
): Promise<CachedPage | FetchFailure> {
  try {
    return await loadPlain()
  } catch (error) {
    if (isBrowserRequested && error instanceof FetchFailure && BROWSER_MAY_HELP.has(error.kind)) return error
    throw error
  }
}

async function renderAfterFailure(context: FetchContext, httpFailure: FetchFailure): Promise<CachedPage> {
  try {
    return await loadInBrowser(context, undefined)
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    throw httpFailure
  }
}

function pickBetter(
  plain: CachedPage,
  rendered: CachedPage,
  request: DocumentRequest,
  isBrowserRequested: boolean,
): CachedPage {
  if (isOk(plain) !== isOk(rendered)) return isOk(plain) ? plain : rendered
  const textLength = (page: CachedPage): number => page.contents.get(contentKey(request))?.content.length ?? 0
  if (!isOk(plain)) return rendered
  const minRatio = isBrowserRequested ? MIN_RATIO_REQUESTED : MIN_RATIO_AUTOMATIC
  return textLength(rendered) > textLength(plain) * minRatio ? rendered : plain
}

function isOk({ classification }: CachedPage): boolean {
  return classification.status === 'ok'
}

function withNote(page: CachedPage, note: string): CachedPage {
  return { ...page, notes: [...page.notes, note] }
}

/** Adds the reason to the note, or quotes it if a server chose a part of it. */
function withFailureNote(page: CachedPage, note: string, error: unknown): CachedPage {
  const reason = errorMessage(error)
  if (!(error instanceof FetchFailure && error.isUntrusted)) return withNote(page, `${note} ${reason}`)
  return withNote({ ...page, quotes: [...page.quotes, reason] }, note)
}

const MAX_RENDER_MS = 20_000
/** Time reserved for extracting the text. */
const EXTRACT_RESERVE_MS = 5000
const MIN_RENDER_MS = 1000
const MAX_RENDERED_BYTES = 10 * 1024 * 1024

/** Loads a page in the browser, which runs its scripts. `httpPage`: the result over plain HTTP, if there is one. */
async function loadInBrowser(context: FetchContext, httpPage: CachedPage | undefined): Promise<CachedPage> {
  const { request, browser, remainingMs, reportProgress, signal } = context
  const maxMs = Math.min(MAX_RENDER_MS + request.waitMs, remainingMs() - EXTRACT_RESERVE_MS)
  if (maxMs < MIN_RENDER_MS)
    throw new FetchFailure('timeout', 'There was not enough time left to open the page in a browser.')
  reportProgress(
    `${httpPage && request.waitMs === 0 ? 'The page needs JavaScript: opening' : 'Opening'} it in the browser`,
  )
  const rendering = browser.render(request.url, {
    settleMs: request.waitMs,
    maxMs,
    maxBytes: MAX_RENDERED_BYTES,
    signal,
  })
  const rendered = await rejectOnAbort(rendering, signal)
  const snapshot: PageSnapshot = {
    requestedUrl: request.url,
    finalUrl: rendered.url,
    status: rendered.status || (httpPage?.snapshot.status ?? 200),
    headers: httpPage?.snapshot.headers ?? new Headers(),
    contentType: 'text/html; charset=utf-8',
    bytes: Buffer.from(rendered.html),
    source: 'browser',
    truncatedBy: rendered.isTruncated ? 'size' : undefined,
    renderWaitMs: Math.round(rendered.waitedMs),
  }
  const notes = rendered.hasSettled
    ? []
    : ['The page was still changing when the time limit was reached; wait_ms waits longer.']
  return processSnapshot(snapshot, context, notes)
}

/** Revalidates a cached page. If that fails, the cached page is returned with a note. */
export async function revalidatePage(
  cacheKey: string,
  cached: CachedPage,
  context: FetchContext,
  cache: PageCache,
): Promise<CachedPage> {
  const { requestedUrl, source, headers } = cached.snapshot
  try {
    const response = await context.fetchPage(requestedUrl, {
      preferredType: context.preferredType,
      source,
      headers: buildConditionalHeaders(headers),
      signal: context.signal,
    })
    if (response.status === 304) {
      cache.markRevalidated(cacheKey, response.headers)
      return cached
    }
    if (response.status >= 500) return withNote(cached, `${STALE} The server answered with status ${response.status}.`)
    // The page may no longer name a Markdown version that has changed, so loading starts over.
    return await loadPage(context, () => loadOverHttp(context, source === 'markdown-alternate' ? undefined : response))
  } catch (error) {
    if (!(error instanceof FetchFailure) || error.kind === 'unreadable' || context.signal.aborted) throw error
    return withFailureNote(cached, STALE, error)
  }
}

const STALE = 'This is a cached version: the page could not be fetched again.'
