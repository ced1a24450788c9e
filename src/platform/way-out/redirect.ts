// Builds the request that follows a redirect. Another origin receives no cookies, credentials or conditional headers,
// only headers that describe the wanted response. A redirect from https to http is rejected.

import { FetchFailure } from './fetch-failure.js'
import type { Question } from './exchange.js'
import { readWebUrl, shownUrl } from './web-url.js'

const REDIRECT_CODES = new Set([301, 302, 303, 307, 308])
const CROSS_ORIGIN_HEADERS = new Set(['accept', 'accept-encoding', 'accept-language', 'content-type', 'user-agent'])

export function isRedirect(status: number, location: string | undefined): boolean {
  return REDIRECT_CODES.has(status) && location !== undefined
}

/** The request to send next. */
export function redirected(request: Question, status: number, location = ''): Question {
  const from = request.url
  // Servers write it as UTF-8, and Node.js decodes headers as Latin-1.
  const url = readWebUrl(Buffer.from(location, 'latin1').toString(), from.href)
  if (from.protocol === 'https:' && url.protocol !== 'https:') {
    throw new FetchFailure(
      'redirects',
      `it leads from https to ${shownUrl(url)}, which anyone on the network could read or change.`,
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
