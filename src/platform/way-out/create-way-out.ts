// The way out, put together: a URL is read, judged and asked for, hop after hop, until there is an answer or a failure
// that says which hop failed and why.

import { setMaxListeners } from 'node:events'
import { validateHeaderName, validateHeaderValue, type IncomingMessage } from 'node:http'

import { VERSION } from '../../lib/version.js'
import { readAllowList } from './allow-list.js'
import { readBody } from './body.js'
import type { OpenProxy } from './checking-proxy.js'
import { acceptedEncodings } from './decoding.js'
import { dialFirst, type Dial } from './dial.js'
import { createExchange, type Exchange, type Question } from './exchange.js'
import { FetchFailure, type FetchProblem } from './fetch-failure.js'
import { createGuard, type Guard } from './guard.js'
import { isRedirect, redirected } from './redirect.js'
import { createRoads } from './roads.js'
import { systemResolve, type Resolve } from './system-resolve.js'
import type { ProxySettings } from './upstream.js'
import type { Brought, Errand, WayOut } from './way-out.js'
import { destinationOf, readWebUrl, shownUrl } from './web-url.js'

const TIMEOUT_MS = 30_000
const MAX_BYTES = 10 * 1024 * 1024
const MAX_REDIRECTS = 5

/** These are ours to say. */
const NOT_THEIRS = new Set([
  'host',
  'connection',
  'keep-alive',
  'transfer-encoding',
  'content-length',
  'te',
  'upgrade',
  'expect',
])

export interface WayOutInput {
  /** FETCH_ALLOW. */
  readonly allow: string
  readonly proxies: ProxySettings
  readonly warn: (about: string) => void
  /** Of a name; as the system does it, unless told. */
  readonly resolve?: Resolve
  /** To one of the addresses that were judged; as the system does it, unless told. */
  readonly dial?: Dial
  /** A certificate to believe in beside those of the system. */
  readonly trust?: string
}

export function createWayOut(input: WayOutInput): WayOut {
  const { allow, proxies, warn, resolve = systemResolve(), dial = dialFirst, trust } = input
  const allowed = readAllowList(allow)
  for (const complaint of allowed.complaints) warn(complaint)
  const closing = new AbortController()
  // Many may be under way at once; that is no leak.
  setMaxListeners(0, closing.signal)
  const guard = createGuard(allowed, resolve)
  const roads = createRoads({ guard, resolve, dial, proxies, trust, closing: closing.signal })
  const exchange = createExchange(roads, { keepAlive: true })
  let proxy: Promise<OpenProxy> | undefined
  return {
    fetch: (url, errand = {}) =>
      withDeadline(errand, closing.signal, (signal) => travel(url, errand, { guard, exchange, signal })),
    async proxy() {
      closing.signal.throwIfAborted()
      const { openCheckingProxy } = await import('./checking-proxy.js')
      return (proxy ??= openCheckingProxy(roads, createExchange(roads, { keepAlive: false })))
    },
    async close() {
      closing.abort(new FetchFailure('aborted', 'the server is stopping.'))
      exchange.close()
      await (await proxy)?.close()
    },
  }
}

interface Means {
  readonly guard: Guard
  readonly exchange: Exchange
  readonly signal: AbortSignal
}

async function withDeadline<T>(
  { timeoutMs = TIMEOUT_MS, signal }: Errand,
  closing: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const ending = new AbortController()
  const late = new FetchFailure('timeout', `there was no whole answer within ${timeoutMs} ms.`)
  const timer = setTimeout(() => ending.abort(late), timeoutMs)
  const giveUp = (): void => ending.abort(new FetchFailure('aborted', 'it was given up.'))
  const close = (): void => ending.abort(closing.reason)
  if (signal) setMaxListeners(0, signal)
  signal?.addEventListener('abort', giveUp)
  closing.addEventListener('abort', close)
  if (signal?.aborted) giveUp()
  if (closing.aborted) close()
  try {
    return await work(ending.signal)
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', giveUp)
    closing.removeEventListener('abort', close)
  }
}

async function travel(start: URL | string, errand: Errand, means: Means): Promise<Brought> {
  const redirects: string[] = []
  const { maxRedirects = MAX_REDIRECTS } = errand
  try {
    let question = firstQuestion(start, errand)
    for (;;) {
      const { url } = question
      means.guard.admit(destinationOf(url))
      const answer = await means.exchange.ask(question, means.signal)
      const { statusCode = 0, headers } = answer
      if (!isRedirect(statusCode, headers.location)) {
        return await bring(answer, question, redirects, errand, means.signal)
      }
      // What is there already is thrown away to keep the connection; for more it is not worth it.
      if (answer.complete) answer.resume()
      else answer.destroy()
      redirects.push(url.href)
      if (redirects.length > maxRedirects) {
        throw new FetchFailure('redirects', `it leads on and on; ${maxRedirects} times were followed.`)
      }
      question = redirected(question, statusCode, headers.location)
    }
  } catch (error) {
    throw told(error, start, redirects)
  }
}

function firstQuestion(start: URL | string, { method = 'GET', headers = {}, body }: Errand): Question {
  const url = readWebUrl(start)
  const given = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const)
  for (const [name, value] of given) checkHeader(name, value)
  return {
    url,
    method,
    headers: {
      'user-agent': `scorpiox-code/${VERSION}`,
      accept: '*/*',
      'accept-encoding': acceptedEncodings(),
      ...Object.fromEntries(given.filter(([name]) => !NOT_THEIRS.has(name) && !name.startsWith('proxy-'))),
    },
    body,
  }
}

/** A key that somebody pasted may hold the end of a line. */
function checkHeader(name: string, value: string): void {
  try {
    validateHeaderName(name)
    validateHeaderValue(name, value)
  } catch (error) {
    throw new FetchFailure('broken', `its header ${JSON.stringify(name)} cannot be sent.`, { cause: error })
  }
}

async function bring(
  answer: IncomingMessage,
  { url }: Question,
  redirects: readonly string[],
  { maxBytes = MAX_BYTES, takePart = false }: Errand,
  signal: AbortSignal,
): Promise<Brought> {
  const { bytes, ended } = await readBody(answer, maxBytes, signal)
  const cut = ended && CUTS.get(ended.problem)
  if (ended && !(takePart && cut)) throw ended
  return {
    url: url.href,
    redirects,
    status: answer.statusCode ?? 0,
    headers: headersOf(answer),
    bytes,
    ...(cut && { cut }),
  }
}

const CUTS: ReadonlyMap<FetchProblem, NonNullable<Brought['cut']>> = new Map([
  ['too-large', 'size'],
  ['timeout', 'time'],
  ['broken', 'broken'],
])

function headersOf({ rawHeaders }: IncomingMessage): Headers {
  const headers = new Headers()
  for (let index = 0; index < rawHeaders.length; index += 2) {
    try {
      headers.append(rawHeaders[index] ?? '', rawHeaders[index + 1] ?? '')
    } catch {
      // Node's parser lets a few through that are no headers.
    }
  }
  return headers
}

function told(error: unknown, start: URL | string, redirects: readonly string[]): unknown {
  if (!(error instanceof FetchFailure)) return error
  const via =
    redirects.length === 0
      ? ''
      : `it was redirected ${redirects.length === 1 ? 'once' : `${redirects.length} times`}, and then `
  return new FetchFailure(error.problem, `Could not fetch ${shownUrl(start)}: ${via}${error.message}`, { cause: error })
}
