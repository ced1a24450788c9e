// Where an answer sends us, and what may come along: to another origin go no cookies, no keys and no conditions, only
// what says how to answer. From https nobody is led to http.

import { FetchFailure } from './fetch-failure.js'
import type { Question } from './exchange.js'
import { readWebUrl, shownUrl } from './web-url.js'

const CODES = new Set([301, 302, 303, 307, 308])
const GOES_ALONG = new Set(['accept', 'accept-encoding', 'accept-language', 'content-type', 'user-agent'])

export function isRedirect(status: number, location: string | undefined): boolean {
  return CODES.has(status) && location !== undefined
}

/** What to ask next. */
export function redirected(question: Question, status: number, location = ''): Question {
  const from = question.url
  // Servers write it as UTF-8, and Node reads headers as Latin-1.
  const url = readWebUrl(Buffer.from(location, 'latin1').toString(), from.href)
  if (from.protocol === 'https:' && url.protocol !== 'https:') {
    throw new FetchFailure(
      'redirects',
      `it leads from https to ${shownUrl(url)}, which anybody on the way could read or change.`,
    )
  }
  if (url.hash === '') url.hash = from.hash
  const isSameOrigin = url.origin === from.origin
  const headers = Object.entries(question.headers).filter(([name]) => isSameOrigin || GOES_ALONG.has(name))
  if (!isWithoutBody(question.method, status)) return { ...question, url, headers: Object.fromEntries(headers) }
  const method = question.method === 'HEAD' ? 'HEAD' : 'GET'
  const bare = headers.filter(([name]) => !name.startsWith('content-'))
  return { url, method, headers: Object.fromEntries(bare), body: undefined }
}

function isWithoutBody(method: string, status: number): boolean {
  return status === 303 || (method === 'POST' && status < 303)
}
