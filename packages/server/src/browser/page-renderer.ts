// Renders one URL to HTML in a page of a running browser, and declares `PageRenderer`, the interface that
// browser-pool.ts implements. Everything is bounded: the page by its time, the HTML by its size; what is there at the
// end of the time is returned. Called by browser-instance.ts. Network access goes through the given proxy only.

import { Failure } from '@scorpiox/mcp/errors'
import { withTimeout } from '@scorpiox/mcp/promises'
import { FetchFailure, type FetchFailureKind } from '../guarded-fetch/fetch-failure.js'
import { type BrowserPage, evaluateInPage, openBrowserPage } from './browser-page.js'
import type { BrowserProcess } from './browser-process.js'
import type { DocumentResponse } from './page-activity.js'
import { SERIALIZE_DOCUMENT } from './page-scripts.js'
import { waitUntilSettled } from './wait-until-settled.js'

export interface PageRenderer {
  /** The page after its scripts ran, once its document has settled. */
  render(url: string, options: RenderOptions): Promise<RenderedPage>
  /** Resolves when none of its processes is left. */
  close(): Promise<void>
}

export interface RenderOptions {
  /** How much longer to wait after it has settled. */
  readonly settleMs: number
  /** For everything; what is there by then is returned. */
  readonly maxMs: number
  readonly maxBytes: number
  readonly signal?: AbortSignal
}

export interface RenderedPage {
  /** The URL after redirects. */
  readonly url: string
  /** Of the document; 0 if there was none. */
  readonly status: number
  readonly contentType: string
  readonly html: string
  readonly title: string
  /** Whether it was longer than `maxBytes`. */
  readonly isTruncated: boolean
  /** Whether the document settled within the time. */
  readonly hasSettled: boolean
  readonly waitedMs: number
}

export interface DocumentSnapshot {
  readonly html: string
  readonly title: string
  readonly url: string
  readonly contentType: string
  readonly isTruncated: boolean
}

interface SnapshotOptions {
  readonly maxBytes: number
  /** Whether the page may continue while it is read. */
  readonly hasSettled: boolean
  readonly until: number
}

/**
 * Captures the current document of a page. If its scripts leave no time for that, they are stopped first. Undefined if
 * nothing could be captured in time.
 */
async function captureSnapshot(
  page: BrowserPage,
  { maxBytes, hasSettled, until }: SnapshotOptions,
): Promise<DocumentSnapshot | undefined> {
  const leftMs = (): number => until - performance.now()
  const captured = hasSettled
    ? await withTimeout(leftMs() / 2, evaluateInPage(page, SERIALIZE_DOCUMENT, maxBytes))
    : undefined
  if (!captured) stopScripts(page)
  const { html, title, url, contentType, isTruncated } =
    captured ?? (await withTimeout(leftMs(), evaluateInPage(page, SERIALIZE_DOCUMENT, maxBytes))) ?? {}
  if (typeof html !== 'string') return undefined
  return {
    html: html.toWellFormed(),
    title: String(title).toWellFormed(),
    url: String(url),
    contentType: String(contentType),
    isTruncated: isTruncated === true,
  }
}

/** Also ends an infinite loop. */
function stopScripts({ session }: BrowserPage): void {
  session.sendWithoutReply('Page.stopLoading')
  session.sendWithoutReply('Emulation.setScriptExecutionDisabled', { value: true })
  session.sendWithoutReply('Runtime.terminateExecution')
}

/** The part of the time that is reserved for capturing the document. */
const CAPTURE_MS = 2000
const OPEN_TIMEOUT_MS = 15_000
const CANCELLED = 'it was cancelled'

/** Rejects with a FetchFailure. */
export async function renderInBrowser(
  browser: BrowserProcess,
  url: string,
  options: RenderOptions,
): Promise<RenderedPage> {
  if (!/^https?:\/\//i.test(url))
    throw new FetchFailure('bad-url', `${url} is not a web page: only http and https can be opened`)
  const startedAt = performance.now()
  const page = await openPageFor(browser, url)
  const stop = (): void => page.activity.close(CANCELLED)
  options.signal?.addEventListener('abort', stop)
  try {
    if (options.signal?.aborted === true) stop()
    return await capturePage(page, url, options, startedAt)
  } catch (error) {
    throw toFetchFailure(error, url)
  } finally {
    options.signal?.removeEventListener('abort', stop)
    // A browser that cannot close a page is not usable any more.
    if (!(await page.close())) void browser.close()
  }
}

/** The same for one that cannot open a page. */
async function openPageFor(browser: BrowserProcess, url: string): Promise<BrowserPage> {
  const page = await withTimeout(OPEN_TIMEOUT_MS, openBrowserPage(browser)).catch((error: unknown) => {
    throw toFetchFailure(error, url)
  })
  if (page) return page
  void browser.close()
  throw new FetchFailure(
    'timeout',
    `The browser did not open a page for ${url} within ${OPEN_TIMEOUT_MS / 1000} s; try again`,
  )
}

async function capturePage(
  page: BrowserPage,
  url: string,
  options: RenderOptions,
  startedAt: number,
): Promise<RenderedPage> {
  const { maxMs, maxBytes } = options
  const until = startedAt + maxMs
  const captureAt = until - Math.min(CAPTURE_MS, maxMs / 3)
  const hasDocument = await navigate(page, url, until)
  const hasSettled = hasDocument && (await waitUntilSettled(page, captureAt))
  if (hasSettled) await waitWhileOpen(page, Math.min(options.settleMs, captureAt - performance.now()))
  const snapshot = hasDocument ? await captureSnapshot(page, { maxBytes, hasSettled, until }) : EMPTY_SNAPSHOT
  const { response } = page.activity
  if (response && response.proxyError !== '') throw proxyRefusal(response, url)
  if (!snapshot || (hasDocument && !/^https?:/.test(snapshot.url)))
    throw new FetchFailure(
      'timeout',
      `${url} rendered nothing within ${maxMs} ms: ${response ? BUSY_REASON : SILENT_REASON}`,
    )
  return {
    ...snapshot,
    url: snapshot.url === '' ? (response?.url ?? url) : snapshot.url,
    status: response?.status ?? 0,
    contentType: response?.contentType ?? snapshot.contentType,
    hasSettled,
    waitedMs: Math.round(performance.now() - startedAt),
  }
}

const EMPTY_SNAPSHOT: DocumentSnapshot = { html: '', title: '', url: '', contentType: '', isTruncated: false }
const BUSY_REASON = 'its scripts did not pause'
const SILENT_REASON = 'its server did not answer'

/** Whether it has a document or may still get one: a response may also have a status and no body. */
async function navigate({ session, activity }: BrowserPage, url: string, until: number): Promise<boolean> {
  const { errorText, isDownload } =
    (await withTimeout(until - performance.now(), session.send('Page.navigate', { url }))) ?? {}
  if (typeof errorText !== 'string' || errorText === '') return true
  if (isDownload === true) throw new FetchFailure('broken', `${url} is a file to download, not a page`)
  if (/RESPONSE_CODE_FAILURE|ABORTED/.test(errorText) && activity.response) return false
  const reason = errorText.replace('net::', '')
  throw new FetchFailure(kindOfNetworkError(reason), `The browser could not open ${url}: ${reason}`)
}

/** The server of the page was not reached: the document is an error message of our proxy. */
function proxyRefusal({ proxyError }: DocumentResponse, url: string): FetchFailure {
  const why = proxyError.replaceAll('_', ' ')
  return new FetchFailure(
    PROXY_ERROR_KINDS.get(proxyError) ?? 'unreachable',
    `The proxy refused the browser access to ${url}: ${why}`,
  )
}

async function waitWhileOpen({ activity }: BrowserPage, ms: number): Promise<void> {
  const until = performance.now() + ms
  for (let leftMs = ms; leftMs > 0 && activity.closedReason === undefined; leftMs = until - performance.now())
    await withTimeout(leftMs, activity.nextChange())
}

const PROXY_ERROR_KINDS: ReadonlyMap<string, FetchFailureKind> = new Map([
  ['destination_ip_prohibited', 'refused'],
  ['http_request_error', 'bad-url'],
  ['connection_timeout', 'timeout'],
  ['dns_error', 'unresolved'],
])

const NETWORK_ERROR_KINDS: readonly (readonly [RegExp, FetchFailureKind])[] = [
  [/NAME_NOT_RESOLVED/, 'unresolved'],
  [/CERT|SSL/, 'tls'],
  [/TOO_MANY_REDIRECTS/, 'redirects'],
  [/UNSAFE|DISALLOWED|BLOCKED|ACCESS_DENIED/, 'refused'],
  [/INVALID_URL|UNKNOWN_URL_SCHEME/, 'bad-url'],
  [/TIMED_OUT/, 'timeout'],
  [/INVALID_|EMPTY_RESPONSE|CONTENT_|ABORTED|FAILED$/, 'broken'],
]

function kindOfNetworkError(reason: string): FetchFailureKind {
  return NETWORK_ERROR_KINDS.find(([pattern]) => pattern.test(reason))?.[1] ?? 'unreachable'
}

function toFetchFailure(error: unknown, url: string): unknown {
  if (error instanceof FetchFailure || !(error instanceof Failure)) return error
  const kind = error.message === CANCELLED ? 'aborted' : 'broken'
  return new FetchFailure(kind, `${url} could not be read by the browser: ${error.message}`, { cause: error })
}
