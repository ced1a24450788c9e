// Fetches a URL, following redirects: each hop is parsed, checked and requested, until there is a response or a failure
// that says which hop failed and why.

import { validateHeaderName, validateHeaderValue } from 'node:http'

import { VERSION } from '../../lib/version.js'
import { bring } from './bring.js'
import { acceptedEncodings } from './decoding.js'
import type { Exchange, Question } from './exchange.js'
import { FetchFailure } from './fetch-failure.js'
import type { Guard } from './guard.js'
import { isRedirect, redirected } from './redirect.js'
import type { Brought, Errand } from './way-out.js'
import { destinationOf, readWebUrl, shownUrl } from './web-url.js'

const MAX_REDIRECTS = 5

/** Headers that callers may not set. */
const RESERVED_HEADERS = new Set([
  'host',
  'connection',
  'keep-alive',
  'transfer-encoding',
  'content-length',
  'te',
  'upgrade',
  'expect',
])

interface Means {
  readonly guard: Guard
  readonly exchange: Exchange
  readonly signal: AbortSignal
}

export async function travel(start: URL | string, request: Errand, deps: Means): Promise<Brought> {
  const redirects: string[] = []
  const { maxRedirects = MAX_REDIRECTS } = request
  try {
    let hop = createRequest(start, request)
    for (;;) {
      const { url } = hop
      deps.guard.admit(destinationOf(url))
      const response = await deps.exchange.ask(hop, deps.signal)
      const { statusCode = 0, headers } = response
      if (!isRedirect(statusCode, headers.location)) {
        return await bring(response, hop, redirects, request, deps.signal)
      }
      // A response that has arrived is discarded to keep its connection; reading more is not worth it.
      if (response.complete) response.resume()
      else response.destroy()
      if (redirects.length >= maxRedirects) {
        throw new FetchFailure('redirects', `it redirects once more, and ${maxRedirects} are followed at most.`)
      }
      redirects.push(url.href)
      hop = redirected(hop, statusCode, headers.location)
    }
  } catch (error) {
    throw describeFailedHop(error, start, redirects)
  }
}

function createRequest(start: URL | string, { method = 'GET', headers = {}, body }: Errand): Question {
  const url = readWebUrl(start)
  const entries = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const)
  for (const [name, value] of entries) checkHeader(name, value)
  return {
    url,
    method,
    headers: {
      'user-agent': `scorpiox-code/${VERSION}`,
      accept: '*/*',
      'accept-encoding': acceptedEncodings(),
      ...Object.fromEntries(entries.filter(([name]) => !RESERVED_HEADERS.has(name) && !name.startsWith('proxy-'))),
    },
    body,
  }
}

/** A pasted key may contain a line break. */
function checkHeader(name: string, value: string): void {
  try {
    validateHeaderName(name)
    validateHeaderValue(name, value)
  } catch (error) {
    throw new FetchFailure('broken', `its header ${JSON.stringify(name)} cannot be sent.`, { cause: error })
  }
}

function describeFailedHop(error: unknown, start: URL | string, redirects: readonly string[]): unknown {
  if (!(error instanceof FetchFailure)) return error
  const via =
    redirects.length === 0
      ? ''
      : `it was redirected ${redirects.length === 1 ? 'once' : `${redirects.length} times`}, and then `
  return new FetchFailure(error.problem, `Could not fetch ${shownUrl(start)}: ${via}${error.message}`, { cause: error })
}
