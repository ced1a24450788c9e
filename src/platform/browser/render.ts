// One page from its address to its HTML. Everything is bounded: the page by its time, its HTML by its size, and what is
// there when the time is up is taken.

import { Failure } from '../../lib/failure.js'
import { within } from '../../lib/within.js'
import { FetchFailure, type FetchProblem } from '../way-out/fetch-failure.js'
import type { Rendered, Wish } from './browser.js'
import { goQuiet } from './go-quiet.js'
import { harvest, type Harvest } from './harvest.js'
import type { LiveBrowser } from './launch.js'
import { openPage, type Page } from './open-page.js'
import type { Answer } from './page-watch.js'

/** Of the time, for taking what is there at its end. */
const HARVEST_MS = 2000
const OPEN_MS = 15_000
const UNWANTED = 'it was no longer wanted'

/** Rejects with a FetchFailure. */
export async function renderPage(browser: LiveBrowser, url: string, wish: Wish): Promise<Rendered> {
  if (!/^https?:\/\//i.test(url))
    throw new FetchFailure('bad-url', `${url} is no web page: only http and https are shown`)
  const startedAt = performance.now()
  const page = await pageOf(browser, url)
  const stop = (): void => page.watch.leave(UNWANTED)
  wish.signal?.addEventListener('abort', stop)
  try {
    if (wish.signal?.aborted === true) stop()
    return await visit(page, url, wish, startedAt)
  } catch (error) {
    throw explained(error, url)
  } finally {
    wish.signal?.removeEventListener('abort', stop)
    // A browser that cannot close a page is of no use any more.
    if (!(await page.close())) void browser.close()
  }
}

/** Nor is one that opens none. */
async function pageOf(browser: LiveBrowser, url: string): Promise<Page> {
  const page = await within(OPEN_MS, openPage(browser)).catch((error: unknown) => {
    throw explained(error, url)
  })
  if (page) return page
  void browser.close()
  throw new FetchFailure('timeout', `The browser opened no page for ${url} within ${OPEN_MS / 1000} s; try again`)
}

async function visit(page: Page, url: string, wish: Wish, startedAt: number): Promise<Rendered> {
  const { maxMs, maxBytes } = wish
  const until = startedAt + maxMs
  const harvestAt = until - Math.min(HARVEST_MS, maxMs / 3)
  const hasDocument = await navigate(page, url, until)
  const isQuiet = hasDocument && (await goQuiet(page, harvestAt))
  if (isQuiet) await settle(page, Math.min(wish.settleMs, harvestAt - performance.now()))
  const taken = hasDocument ? await harvest(page, { maxBytes, isQuiet, until }) : NOTHING
  const { answer } = page.watch
  if (answer && answer.refusal !== '') throw refusedBy(answer, url)
  if (!taken || (hasDocument && !/^https?:/.test(taken.url)))
    throw new FetchFailure('timeout', `${url} showed nothing within ${maxMs} ms: ${answer ? BUSY : SILENT}`)
  return {
    ...taken,
    url: taken.url === '' ? (answer?.url ?? url) : taken.url,
    status: answer?.status ?? 0,
    contentType: answer?.contentType ?? taken.contentType,
    isQuiet,
    waitedMs: Math.round(performance.now() - startedAt),
  }
}

const NOTHING: Harvest = { html: '', title: '', url: '', contentType: '', isCut: false }
const BUSY = 'its scripts never paused'
const SILENT = 'its server did not answer'

/** Whether it has a document or may still get one: an answer may also be a status and nothing else. */
async function navigate({ session, watch }: Page, url: string, until: number): Promise<boolean> {
  const { errorText, isDownload } =
    (await within(until - performance.now(), session.ask('Page.navigate', { url }))) ?? {}
  if (typeof errorText !== 'string' || errorText === '') return true
  if (isDownload === true) throw new FetchFailure('broken', `${url} is a file to download, not a page`)
  if (/RESPONSE_CODE_FAILURE|ABORTED/.test(errorText) && watch.answer) return false
  const reason = errorText.replace('net::', '')
  throw new FetchFailure(problemOf(reason), `The browser could not open ${url}: ${reason}`)
}

/** Nothing came from the page's server: what would be shown are the words of our proxy. */
function refusedBy({ refusal }: Answer, url: string): FetchFailure {
  const why = refusal.replaceAll('_', ' ')
  return new FetchFailure(REFUSALS.get(refusal) ?? 'unreachable', `The browser was not let through to ${url}: ${why}`)
}

async function settle({ watch }: Page, ms: number): Promise<void> {
  const until = performance.now() + ms
  for (let left = ms; left > 0 && watch.gone === undefined; left = until - performance.now())
    await within(left, watch.news())
}

const REFUSALS: ReadonlyMap<string, FetchProblem> = new Map([
  ['destination_ip_prohibited', 'refused'],
  ['http_request_error', 'bad-url'],
  ['connection_timeout', 'timeout'],
  ['dns_error', 'unresolved'],
])

const PROBLEMS: readonly (readonly [RegExp, FetchProblem])[] = [
  [/NAME_NOT_RESOLVED/, 'unresolved'],
  [/CERT|SSL/, 'tls'],
  [/TOO_MANY_REDIRECTS/, 'redirects'],
  [/UNSAFE|DISALLOWED|BLOCKED|ACCESS_DENIED/, 'refused'],
  [/INVALID_URL|UNKNOWN_URL_SCHEME/, 'bad-url'],
  [/TIMED_OUT/, 'timeout'],
  [/INVALID_|EMPTY_RESPONSE|CONTENT_|ABORTED|FAILED$/, 'broken'],
]

function problemOf(reason: string): FetchProblem {
  return PROBLEMS.find(([pattern]) => pattern.test(reason))?.[1] ?? 'unreachable'
}

function explained(error: unknown, url: string): unknown {
  if (error instanceof FetchFailure || !(error instanceof Failure)) return error
  const problem = error.message === UNWANTED ? 'aborted' : 'broken'
  return new FetchFailure(problem, `${url} could not be read by the browser: ${error.message}`, { cause: error })
}
