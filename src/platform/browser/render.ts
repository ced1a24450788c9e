// Renders one URL to HTML. Everything is bounded: the page by its time, the HTML by its size; what is there at the end
// of the time is returned.

import { Failure } from '../../lib/failure.js'
import { within } from '../../lib/within.js'
import { FetchFailure, type FetchProblem } from '../way-out/fetch-failure.js'
import type { Rendered, Wish } from './browser.js'
import { goQuiet } from './go-quiet.js'
import { harvest, type Harvest } from './harvest.js'
import type { LiveBrowser } from './launch.js'
import { openPage, type Page } from './open-page.js'
import type { Answer } from './page-watch.js'

/** The part of the time that is reserved for capturing the document. */
const CAPTURE_MS = 2000
const OPEN_TIMEOUT_MS = 15_000
const CANCELLED = 'it was cancelled'

/** Rejects with a FetchFailure. */
export async function renderPage(browser: LiveBrowser, url: string, options: Wish): Promise<Rendered> {
  if (!/^https?:\/\//i.test(url))
    throw new FetchFailure('bad-url', `${url} is not a web page: only http and https can be opened`)
  const startedAt = performance.now()
  const page = await openPageFor(browser, url)
  const stop = (): void => page.watch.leave(CANCELLED)
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
async function openPageFor(browser: LiveBrowser, url: string): Promise<Page> {
  const page = await within(OPEN_TIMEOUT_MS, openPage(browser)).catch((error: unknown) => {
    throw toFetchFailure(error, url)
  })
  if (page) return page
  void browser.close()
  throw new FetchFailure(
    'timeout',
    `The browser opened no page for ${url} within ${OPEN_TIMEOUT_MS / 1000} s; try again`,
  )
}

async function capturePage(page: Page, url: string, options: Wish, startedAt: number): Promise<Rendered> {
  const { maxMs, maxBytes } = options
  const until = startedAt + maxMs
  const captureAt = until - Math.min(CAPTURE_MS, maxMs / 3)
  const hasDocument = await navigate(page, url, until)
  const hasSettled = hasDocument && (await goQuiet(page, captureAt))
  if (hasSettled) await waitWhileOpen(page, Math.min(options.settleMs, captureAt - performance.now()))
  const snapshot = hasDocument ? await harvest(page, { maxBytes, isQuiet: hasSettled, until }) : EMPTY_SNAPSHOT
  const { answer: response } = page.watch
  if (response && response.refusal !== '') throw proxyRefusal(response, url)
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
    isQuiet: hasSettled,
    waitedMs: Math.round(performance.now() - startedAt),
  }
}

const EMPTY_SNAPSHOT: Harvest = { html: '', title: '', url: '', contentType: '', isCut: false }
const BUSY_REASON = 'its scripts never paused'
const SILENT_REASON = 'its server did not answer'

/** Whether it has a document or may still get one: a response may also have a status and no body. */
async function navigate({ session, watch: activity }: Page, url: string, until: number): Promise<boolean> {
  const { errorText, isDownload } =
    (await within(until - performance.now(), session.ask('Page.navigate', { url }))) ?? {}
  if (typeof errorText !== 'string' || errorText === '') return true
  if (isDownload === true) throw new FetchFailure('broken', `${url} is a file to download, not a page`)
  if (/RESPONSE_CODE_FAILURE|ABORTED/.test(errorText) && activity.answer) return false
  const reason = errorText.replace('net::', '')
  throw new FetchFailure(kindOfNetworkError(reason), `The browser could not open ${url}: ${reason}`)
}

/** The server of the page was not reached: the document is an error message of our proxy. */
function proxyRefusal({ refusal }: Answer, url: string): FetchFailure {
  const why = refusal.replaceAll('_', ' ')
  return new FetchFailure(
    PROXY_ERROR_KINDS.get(refusal) ?? 'unreachable',
    `The proxy refused the browser access to ${url}: ${why}`,
  )
}

async function waitWhileOpen({ watch: activity }: Page, ms: number): Promise<void> {
  const until = performance.now() + ms
  for (let leftMs = ms; leftMs > 0 && activity.gone === undefined; leftMs = until - performance.now())
    await within(leftMs, activity.news())
}

const PROXY_ERROR_KINDS: ReadonlyMap<string, FetchProblem> = new Map([
  ['destination_ip_prohibited', 'refused'],
  ['http_request_error', 'bad-url'],
  ['connection_timeout', 'timeout'],
  ['dns_error', 'unresolved'],
])

const NETWORK_ERROR_KINDS: readonly (readonly [RegExp, FetchProblem])[] = [
  [/NAME_NOT_RESOLVED/, 'unresolved'],
  [/CERT|SSL/, 'tls'],
  [/TOO_MANY_REDIRECTS/, 'redirects'],
  [/UNSAFE|DISALLOWED|BLOCKED|ACCESS_DENIED/, 'refused'],
  [/INVALID_URL|UNKNOWN_URL_SCHEME/, 'bad-url'],
  [/TIMED_OUT/, 'timeout'],
  [/INVALID_|EMPTY_RESPONSE|CONTENT_|ABORTED|FAILED$/, 'broken'],
]

function kindOfNetworkError(reason: string): FetchProblem {
  return NETWORK_ERROR_KINDS.find(([pattern]) => pattern.test(reason))?.[1] ?? 'unreachable'
}

function toFetchFailure(error: unknown, url: string): unknown {
  if (error instanceof FetchFailure || !(error instanceof Failure)) return error
  const kind = error.message === CANCELLED ? 'aborted' : 'broken'
  return new FetchFailure(kind, `${url} could not be read by the browser: ${error.message}`, { cause: error })
}
