// What an answer amounts to: first what its status and address say, which is the same with all engines, then what the
// engine reads in it.

import { decodeText } from '../../lib/decode-text.js'
import type { Brought } from '../../platform/way-out/way-out.js'
import type { Answer } from './engine.js'
import { failed, LAYOUT_CHANGED, type Outcome } from './outcome.js'
import { asksForHuman } from './result-page.js'

const ASKS_FOR_HUMAN = /\b(?:captcha|challenge|sorry|anomaly|blocked)\b/i
const MAX_RETRY_MS = 24 * 60 * 60_000

/** A token step judges by the same rules: `read` may make of the answer what it wants. */
export function judgeAnswer<T>(brought: Brought, asked: string, read: (answer: Answer) => T): T | Outcome {
  const { status, headers, url } = brought
  const answer = { status, headers, url, text: decodeText(brought.bytes, headers.get('content-type') ?? '') }
  return byStatus(answer) ?? byAddress(url, asked) ?? byReading(answer, brought.cut, read)
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

/** In seconds, as a date, or as the moment when a count starts anew. */
function retryAfter(headers: Headers): number | undefined {
  const given = headers.get('retry-after')
  const reset = headers.get('x-ratelimit-reset')
  const now = Date.now()
  const ms =
    given === null
      ? Number(reset ?? Number.NaN) * 1000 - now
      : /^\d+$/.test(given)
        ? Number(given) * 1000
        : Date.parse(given) - now
  return ms > 0 ? Math.min(ms, MAX_RETRY_MS) : undefined
}

/** Sent elsewhere, to prove something. */
function byAddress(found: string, asked: string): Outcome | undefined {
  const moved = URL.canParse(found) && new URL(found).pathname !== new URL(asked).pathname
  return moved && ASKS_FOR_HUMAN.test(new URL(found).pathname) ? { kind: 'blocked', why: 'captcha' } : undefined
}

function byReading<T>(answer: Answer, cut: Brought['cut'], read: (answer: Answer) => T): T | Outcome {
  const outcome = readSafely(answer, read)
  if (isGood(outcome)) return outcome
  if (cut !== undefined) return cut === 'time' ? { kind: 'timeout' } : failed(CUT[cut])
  const isUnread =
    typeof outcome === 'object' && outcome !== null && 'kind' in outcome && outcome.kind === 'layout_changed'
  return isUnread && asksForHuman(answer.text) ? { kind: 'blocked', why: 'challenge' } : outcome
}

const CUT = { size: 'its answer is too large', broken: 'its answer broke off' } as const

/** Only what was found can be taken from a part; that nothing was cannot. */
function isGood(outcome: unknown): boolean {
  return (
    typeof outcome === 'string' ||
    (typeof outcome === 'object' && outcome !== null && 'kind' in outcome && outcome.kind === 'ok')
  )
}

/** A page may be nested deeper than a parser's stack. */
function readSafely<T>(answer: Answer, read: (answer: Answer) => T): T | Outcome {
  try {
    return read(answer)
  } catch {
    return failed('its answer could not be read')
  }
}
