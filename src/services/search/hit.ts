// One search result, made from whatever an engine says: text that can be shown on one line, and a link that can be
// followed. What has no such link is no hit.

import { oneLine } from '../../lib/one-line.js'
import { visibleText } from '../../lib/visible-text.js'
import { dayOf } from './day-of.js'

const MAX_TITLE = 200
const MAX_SNIPPET = 300
const MAX_URL = 2048
/** Result pages put the day before the text. */
const LEADING_DAY = /^([A-Z][a-z]{2,8} \d{1,2}, \d{4}|\d{1,2} [A-Z][a-z]{2,8} \d{4})\s*(?:[·—–-]|\.\.\.|…)\s*/

export interface Hit {
  readonly title: string
  readonly url: string
  readonly snippet: string
  /** As 2026-01-31; null where the engine did not say. */
  readonly date: string | null
}

/** As found, without a promise what is in it. */
export interface Finding {
  readonly url: unknown
  readonly title: unknown
  readonly snippet?: unknown
  readonly date?: unknown
}

export function toHit({ url, title, snippet, date }: Finding): Hit | undefined {
  const link = typeof url === 'string' ? webLink(url) : undefined
  if (link === undefined) return undefined
  const said = shown(snippet, MAX_SNIPPET)
  const [lead = '', day] = LEADING_DAY.exec(said) ?? []
  const written = dayOf(day)
  return {
    title: shown(title, MAX_TITLE) || link.host,
    url: link.href,
    snippet: written === null ? said : said.slice(lead.length),
    date: dayOf(date) ?? written,
  }
}

function webLink(text: string): URL | undefined {
  if (text.length > MAX_URL || !URL.canParse(text)) return undefined
  const url = new URL(text)
  const isWeb = url.protocol === 'https:' || url.protocol === 'http:'
  // A name before the host makes a link look like another's.
  return isWeb && url.username === '' && url.password === '' && url.host.includes('.') ? url : undefined
}

function shown(text: unknown, most: number): string {
  return typeof text === 'string' ? oneLine(visibleText(text.slice(0, most * 8)), most) : ''
}
