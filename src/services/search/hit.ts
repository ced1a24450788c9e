// Parses one search result of an engine: single-line text and an HTTP(S) URL. Results without such a URL are dropped.

import { oneLine } from '../../lib/one-line.js'
import { visibleText } from '../../lib/visible-text.js'
import { dayOf } from './day-of.js'

const MAX_TITLE = 200
const MAX_SNIPPET = 300
const MAX_URL = 2048
/** Result pages put the date before the snippet. */
const LEADING_DAY = /^([A-Z][a-z]{2,8} \d{1,2}, \d{4}|\d{1,2} [A-Z][a-z]{2,8} \d{4})\s*(?:[·—–-]|\.\.\.|…)\s*/

export interface Hit {
  readonly title: string
  readonly url: string
  readonly snippet: string
  /** For example 2026-01-31; null if unknown. */
  readonly date: string | null
}

/** Unvalidated fields of a result. */
export interface Finding {
  readonly url: unknown
  readonly title: unknown
  readonly snippet?: unknown
  readonly date?: unknown
}

export function toHit({ url, title, snippet, date }: Finding): Hit | undefined {
  const link = typeof url === 'string' ? webLink(url) : undefined
  if (link === undefined) return undefined
  const snippetText = shown(snippet, MAX_SNIPPET)
  const [leadingDate = '', day] = LEADING_DAY.exec(snippetText) ?? []
  const leadingDay = dayOf(day)
  return {
    title: shown(title, MAX_TITLE) || link.host,
    url: link.href,
    snippet: leadingDay === null ? snippetText : snippetText.slice(leadingDate.length),
    date: dayOf(date) ?? leadingDay,
  }
}

function webLink(text: string): URL | undefined {
  if (text.length > MAX_URL || !URL.canParse(text)) return undefined
  const url = new URL(text)
  const isWeb = url.protocol === 'https:' || url.protocol === 'http:'
  // A user name before the host can disguise a link.
  return isWeb && url.username === '' && url.password === '' && url.host.includes('.') ? url : undefined
}

function shown(text: unknown, maxLength: number): string {
  return typeof text === 'string' ? oneLine(visibleText(text.slice(0, maxLength * 8)), maxLength) : ''
}
