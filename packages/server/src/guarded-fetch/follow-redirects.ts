// Fetches a URL, following redirects: each hop is parsed, checked and requested, until there is a response or a failure
// that says which hop failed and why. Used by guarded-fetch.ts.

import { validateHeaderName, validateHeaderValue } from 'node:http'

import { VERSION } from '../config/version.js'
import type { AddressPolicy } from './address-policy.js'
import { FetchFailure } from './fetch-failure.js'
import type { FetchRequest, FetchResponse } from './guarded-fetch.js'
import type { HttpClient, HttpClientRequest } from './http-client.js'
import { acceptEncodingHeader, readResponse } from './response-body.js'
import { parseWebUrl, redactUrl, toDestination } from './web-url.js'

const REDIRECT_CODES = new Set([301, 302, 303, 307, 308])
const CROSS_ORIGIN_HEADERS = new Set(['accept', 'accept-encoding', 'accept-language', 'content-type', 'user-agent'])

function isRedirect(status: number, location: string | undefined): boolean {
  return REDIRECT_CODES.has(status) && location !== undefined
}

/**
 * The request to send next. Another origin receives no cookies, credentials or conditional headers, only headers that
 * describe the wanted response. A redirect from https to http is rejected.
 */
export function nextRequest(request: HttpClientRequest, status: number, location = ''): HttpClientRequest {
  const from = request.url
  // Servers write it as UTF-8, and Node.js decodes headers as Latin-1.
  const url = parseWebUrl(Buffer.from(location, 'latin1').toString(), from.href)
  if (from.protocol === 'https:' && url.protocol !== 'https:') {
    throw new FetchFailure(
      'redirects',
      `it redirects from https to ${redactUrl(url)}, which is not encrypted; such redirects are not followed.`,
    )
  }
  if (url.hash === '') url.hash = from.hash
  const isSameOrigin = url.origin === from.origin
  const headers = Object.entries(request.headers).filter(([name]) => isSameOrigin || CROSS_ORIGIN_HEADERS.has(name))
  if (!dropsBody(request.method, status)) return { ...request, url, headers: Object.fromEntries(headers) }
  const method = request.method === 'HEAD' ? 'HEAD' : 'GET'
  const withoutContent = headers.filter(([name]) => !name.startsWith('content-'))
  return { url, method, headers: Object.fromEntries(withoutContent), body: undefined }
}

function dropsBody(method: string, status: number): boolean {
  return status === 303 || (method === 'POST' && status < 303)
}

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

interface RedirectDeps {
  readonly addressPolicy: AddressPolicy
  readonly httpClient: HttpClient
  readonly signal: AbortSignal
}

export async function fetchFollowingRedirects(
  start: URL | string,
  request: FetchRequest,
  deps: RedirectDeps,
): Promise<FetchResponse> {
  const redirects: string[] = []
  const { maxRedirects = MAX_REDIRECTS } = request
  try {
    let hop = createRequest(start, request)
    for (;;) {
      const { url } = hop
      deps.addressPolicy.checkDestination(toDestination(url))
      const response = await deps.httpClient.send(hop, deps.signal)
      const { statusCode = 0, headers } = response
      if (!isRedirect(statusCode, headers.location)) {
        return await readResponse(response, hop, redirects, request, deps.signal)
      }
      // A response that has arrived is discarded to keep its connection; reading more is not worth it.
      if (response.complete) response.resume()
      else response.destroy()
      if (redirects.length >= maxRedirects) {
        throw new FetchFailure('redirects', `it redirects again, and at most ${maxRedirects} redirects are followed.`)
      }
      redirects.push(url.href)
      hop = nextRequest(hop, statusCode, headers.location)
    }
  } catch (error) {
    throw describeFailedHop(error, start, redirects)
  }
}

function createRequest(start: URL | string, { method = 'GET', headers = {}, body }: FetchRequest): HttpClientRequest {
  const url = parseWebUrl(start)
  const entries = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const)
  for (const [name, value] of entries) checkHeader(name, value)
  return {
    url,
    method,
    headers: {
      'user-agent': `scorpiox-code/${VERSION}`,
      accept: '*/*',
      'accept-encoding': acceptEncodingHeader(),
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
    throw new FetchFailure('broken', `the header ${JSON.stringify(name)} cannot be sent.`, { cause: error })
  }
}

function describeFailedHop(error: unknown, start: URL | string, redirects: readonly string[]): unknown {
  if (!(error instanceof FetchFailure)) return error
  const via =
    redirects.length === 0
      ? ''
      : `it was redirected ${redirects.length === 1 ? 'once' : `${redirects.length} times`}, and then `
  // After a redirect the message is about an address that the server chose.
  const isUntrusted = error.isUntrusted || redirects.length > 0
  const message = `Could not fetch ${redactUrl(start)}: ${via}${error.message}`
  return new FetchFailure(error.kind, message, { cause: error, isUntrusted })
}
