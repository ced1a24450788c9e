// From a URL to what is found there: each hop is read, judged and asked for, until there is an answer or a failure that says
// which hop failed and why.

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

export interface Means {
  readonly guard: Guard
  readonly exchange: Exchange
  readonly signal: AbortSignal
}

export async function travel(start: URL | string, errand: Errand, means: Means): Promise<Brought> {
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
      if (redirects.length >= maxRedirects) {
        throw new FetchFailure('redirects', `it redirects once more, and ${maxRedirects} are followed at most.`)
      }
      redirects.push(url.href)
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

function told(error: unknown, start: URL | string, redirects: readonly string[]): unknown {
  if (!(error instanceof FetchFailure)) return error
  const via =
    redirects.length === 0
      ? ''
      : `it was redirected ${redirects.length === 1 ? 'once' : `${redirects.length} times`}, and then `
  return new FetchFailure(error.problem, `Could not fetch ${shownUrl(start)}: ${via}${error.message}`, { cause: error })
}
