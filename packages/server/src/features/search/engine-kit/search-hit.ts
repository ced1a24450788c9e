// Parses one search result of an engine: single-line text, an HTTP(S) URL and a date. Results without such a URL are
// dropped. Used by the parsers of all engines. No I/O; reads the clock to reject dates in the future.

import { toSingleLine } from '../../../text/format.js'
import { removeInvisible } from '../../../text/untrusted-text.js'
import { tryParseUrl } from '../../../text/parse-url.js'

const MAX_TITLE = 200
const MAX_SNIPPET = 300
const MAX_URL = 2048
/** Result pages put the date before the snippet. */
const LEADING_DATE = /^([A-Z][a-z]{2,8} \d{1,2}, \d{4}|\d{1,2} [A-Z][a-z]{2,8} \d{4})\s*(?:[·—–-]|\.\.\.|…)\s*/

export interface SearchHit {
  readonly title: string
  readonly url: string
  readonly snippet: string
  /** For example 2026-01-31; null if unknown. */
  readonly date: string | null
}

/** Unvalidated fields of a result. */
export interface RawHit {
  readonly url: unknown
  readonly title: unknown
  readonly snippet?: unknown
  readonly date?: unknown
}

export function parseHit({ url, title, snippet, date }: RawHit): SearchHit | undefined {
  const link = typeof url === 'string' ? parseWebLink(url) : undefined
  if (link === undefined) return undefined
  const snippetText = toShortLine(snippet, MAX_SNIPPET)
  const [leadingDate = '', day] = LEADING_DATE.exec(snippetText) ?? []
  const leadingDay = parseDay(day)
  return {
    title: toShortLine(title, MAX_TITLE) || link.host,
    url: link.href,
    snippet: leadingDay === null ? snippetText : snippetText.slice(leadingDate.length),
    date: parseDay(date) ?? leadingDay,
  }
}

function parseWebLink(text: string): URL | undefined {
  const url = text.length > MAX_URL ? undefined : tryParseUrl(text)
  if (!url) return undefined
  const isWeb = url.protocol === 'https:' || url.protocol === 'http:'
  // A user name before the host can disguise a link.
  return isWeb && url.username === '' && url.password === '' && url.host.includes('.') ? url : undefined
}

function toShortLine(text: unknown, maxLength: number): string {
  return typeof text === 'string' ? toSingleLine(removeInvisible(text.slice(0, maxLength * 8)), maxLength) : ''
}

const ISO_DATE = /^(\d{4})[-/](\d{2})(?:[-/](\d{2}))?(?:[T ]|$)/
const DATE_IN_WORDS = /^(?:[A-Z][a-z]{2}, )?(?:\d{1,2} [A-Z][a-z]{2,8}|[A-Z][a-z]{2,8} \d{1,2},) \d{4}/
const FIRST_YEAR = 1990
/** Tolerance for time zones. */
const MAX_AHEAD_MS = 2 * 86_400_000

/**
 * Parses the date of a hit in the formats that engines use. Relative dates such as "yesterday" are ignored, because the
 * time of crawling is unknown. `now` in milliseconds since 1970.
 */
export function parseDay(date: unknown, now = Date.now()): string | null {
  if (typeof date === 'number') return toDay(date < 1e11 ? date * 1000 : date, now)
  if (typeof date !== 'string') return null
  const text = date.trim()
  const [, year, month, day = '01'] = ISO_DATE.exec(text) ?? []
  if (year !== undefined && month !== undefined) {
    const parsed = toDay(Date.parse(`${year}-${month}-${day}`), now)
    // Rejects dates such as February 31, which Date.parse would roll over.
    return parsed === `${year}-${month}-${day}` ? parsed : null
  }
  const [dateText] = DATE_IN_WORDS.exec(text) ?? []
  return dateText === undefined ? null : toDay(Date.parse(`${dateText} UTC`), now)
}

/** Null for future days. */
function toDay(time: number, now: number): string | null {
  if (Number.isNaN(time) || time > now + MAX_AHEAD_MS || time < -8.64e15) return null
  const day = new Date(time)
  return day.getUTCFullYear() >= FIRST_YEAR ? day.toISOString().slice(0, 10) : null
}
