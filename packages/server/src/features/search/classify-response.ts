// Classifies an HTTP response as an EngineOutcome: first by status and redirect, which is the same for all engines, then by
// the engine's parser. Used by engine-client. Pure, except that it reads the clock for Retry-After dates.

import type { FetchResponse } from '../../guarded-fetch/guarded-fetch.js'
import { decodeText } from '../../text/decode-text.js'
import { isBotChallenge } from './engine-kit/result-page.js'
import { type EngineOutcome, type EngineResponse, failedOutcome, LAYOUT_CHANGED } from './engine-kit/search-engine.js'
import { tryParseUrl } from '../../text/parse-url.js'

const CHALLENGE_PATH = /\b(?:captcha|challenge|sorry|anomaly|blocked)\b/i
const MAX_RETRY_MS = 24 * 60 * 60_000

/** Generic, because a token response is classified by the same rules. */
export function classifyResponse<T>(
  fetched: FetchResponse,
  requestUrl: string,
  parse: (response: EngineResponse) => T,
): T | EngineOutcome {
  const { status, headers, url } = fetched
  const response = { status, headers, url, text: decodeText(fetched.bytes, headers.get('content-type') ?? '') }
  return (
    classifyStatus(response) ?? classifyRedirect(url, requestUrl) ?? classifyBody(response, fetched.truncatedBy, parse)
  )
}

function classifyStatus({ status, headers, text }: EngineResponse): EngineOutcome | undefined {
  if (headers.get('cf-mitigated') === 'challenge') return { kind: 'blocked', why: 'challenge' }
  const retryMs = parseRetryAfter(headers)
  if (status === 429) return rateLimited(retryMs)
  if (status === 403 && headers.get('x-ratelimit-remaining') === '0') return rateLimited(retryMs)
  if (status === 503 && retryMs !== undefined) return rateLimited(retryMs)
  if (status === 202) return { kind: 'blocked', why: 'challenge' }
  if (status === 403) return { kind: 'blocked', why: isBotChallenge(text) ? 'challenge' : 'forbidden' }
  if (status === 401 || status === 402)
    return failedOutcome(`HTTP ${status}: the key is invalid or its quota is used up`)
  if (status === 404 || status === 405 || status === 410) return LAYOUT_CHANGED
  if (status === 400 && text.includes('throttle')) return rateLimited(retryMs)
  return status >= 200 && status < 300 ? undefined : failedOutcome(`HTTP ${status}`)
}

function rateLimited(retryAfterMs: number | undefined): EngineOutcome {
  return { kind: 'rate_limited', ...(retryAfterMs !== undefined && { retryAfterMs }) }
}

/** Retry-After in seconds or as a date, else x-ratelimit-reset. */
function parseRetryAfter(headers: Headers): number | undefined {
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
function classifyRedirect(finalUrl: string, requestUrl: string): EngineOutcome | undefined {
  const path = tryParseUrl(finalUrl)?.pathname
  return path !== undefined && path !== new URL(requestUrl).pathname && CHALLENGE_PATH.test(path)
    ? { kind: 'blocked', why: 'captcha' }
    : undefined
}

function classifyBody<T>(
  response: EngineResponse,
  cut: FetchResponse['truncatedBy'],
  parse: (response: EngineResponse) => T,
): T | EngineOutcome {
  const outcome = tryParse(response, parse)
  if (isUsablePart(outcome)) return outcome
  if (cut !== undefined) return cut === 'time' ? { kind: 'timeout' } : failedOutcome(CUT_REASONS[cut])
  const isUnparsed =
    typeof outcome === 'object' && outcome !== null && 'kind' in outcome && outcome.kind === 'layout_changed'
  return isUnparsed && isBotChallenge(response.text) ? { kind: 'blocked', why: 'challenge' } : outcome
}

const CUT_REASONS = { size: 'its response is too large', broken: 'its response is incomplete' } as const

/** Hits of a partial response are usable; "nothing found" is not. */
function isUsablePart(outcome: unknown): boolean {
  return (
    typeof outcome === 'string' ||
    (typeof outcome === 'object' && outcome !== null && 'kind' in outcome && outcome.kind === 'ok')
  )
}

/** Deeply nested pages can overflow the stack of a parser. */
function tryParse<T>(response: EngineResponse, parse: (response: EngineResponse) => T): T | EngineOutcome {
  try {
    return parse(response)
  } catch {
    return failedOutcome('its response could not be parsed')
  }
}
