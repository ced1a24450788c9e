// Classifies an HTTP response as an EngineOutcome: first by status and redirect, which is the same for all engines,
// then by the engine's parser.

import { decodeText } from '../../lib/decode-text.js'
import type { Brought } from '../../platform/way-out/way-out.js'
import type { Answer } from './engine.js'
import { failed, LAYOUT_CHANGED, type Outcome } from './outcome.js'
import { asksForHuman } from './result-page.js'

const ASKS_FOR_HUMAN = /\b(?:captcha|challenge|sorry|anomaly|blocked)\b/i
const MAX_RETRY_MS = 24 * 60 * 60_000

/** Generic, because a token response is classified by the same rules. */
export function judgeAnswer<T>(fetched: Brought, requestUrl: string, parse: (response: Answer) => T): T | Outcome {
  const { status, headers, url } = fetched
  const response = { status, headers, url, text: decodeText(fetched.bytes, headers.get('content-type') ?? '') }
  return byStatus(response) ?? byAddress(url, requestUrl) ?? byReading(response, fetched.cut, parse)
}

function byStatus({ status, headers, text }: Answer): Outcome | undefined {
  if (headers.get('cf-mitigated') === 'challenge') return { kind: 'blocked', why: 'challenge' }
  const retryMs = retryAfter(headers)
  if (status === 429) return limited(retryMs)
  if (status === 403 && headers.get('x-ratelimit-remaining') === '0') return limited(retryMs)
  if (status === 503 && retryMs !== undefined) return limited(retryMs)
  if (status === 202) return { kind: 'blocked', why: 'challenge' }
  if (status === 403) return { kind: 'blocked', why: asksForHuman(text) ? 'challenge' : 'forbidden' }
  if (status === 401 || status === 402) return failed(`HTTP ${status}: the key is wrong or used up`)
  if (status === 404 || status === 405 || status === 410) return LAYOUT_CHANGED
  if (status === 400 && text.includes('throttle')) return limited(retryMs)
  return status >= 200 && status < 300 ? undefined : failed(`HTTP ${status}`)
}

function limited(retryMs: number | undefined): Outcome {
  return { kind: 'rate_limited', ...(retryMs !== undefined && { retryMs }) }
}

/** Retry-After in seconds or as a date, else x-ratelimit-reset. */
function retryAfter(headers: Headers): number | undefined {
  const retryAfterHeader = headers.get('retry-after')
  const reset = headers.get('x-ratelimit-reset')
  const now = Date.now()
  const ms =
    retryAfterHeader === null
      ? Number(reset ?? Number.NaN) * 1000 - now
      : /^\d+$/.test(retryAfterHeader)
        ? Number(retryAfterHeader) * 1000
        : Date.parse(retryAfterHeader) - now
  return ms > 0 ? Math.min(ms, MAX_RETRY_MS) : undefined
}

/** A redirect to a challenge page. */
function byAddress(finalUrl: string, requestUrl: string): Outcome | undefined {
  const wasRedirected = URL.canParse(finalUrl) && new URL(finalUrl).pathname !== new URL(requestUrl).pathname
  return wasRedirected && ASKS_FOR_HUMAN.test(new URL(finalUrl).pathname)
    ? { kind: 'blocked', why: 'captcha' }
    : undefined
}

function byReading<T>(response: Answer, cut: Brought['cut'], parse: (response: Answer) => T): T | Outcome {
  const outcome = readSafely(response, parse)
  if (isGood(outcome)) return outcome
  if (cut !== undefined) return cut === 'time' ? { kind: 'timeout' } : failed(CUT[cut])
  const isUnparsed =
    typeof outcome === 'object' && outcome !== null && 'kind' in outcome && outcome.kind === 'layout_changed'
  return isUnparsed && asksForHuman(response.text) ? { kind: 'blocked', why: 'challenge' } : outcome
}

const CUT = { size: 'its response is too large', broken: 'its response broke off' } as const

/** Hits of a partial response are usable; "nothing found" is not. */
function isGood(outcome: unknown): boolean {
  return (
    typeof outcome === 'string' ||
    (typeof outcome === 'object' && outcome !== null && 'kind' in outcome && outcome.kind === 'ok')
  )
}

/** Deeply nested pages can overflow the stack of a parser. */
function readSafely<T>(response: Answer, parse: (response: Answer) => T): T | Outcome {
  try {
    return parse(response)
  } catch {
    return failed('its response could not be parsed')
  }
}
