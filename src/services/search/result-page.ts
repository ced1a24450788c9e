// A page of results, read by where its parts stand. A page with none of them says in its own words that there are none, or
// is a question whether we are human, or has been rebuilt; which of these it is decides what is done next.

import type { Answer } from './engine.js'
import { all, attribute, fits, first, parsed, shownText, type Node } from './html.js'
import { toHit, type Hit } from './hit.js'
import { LAYOUT_CHANGED, type Outcome } from './outcome.js'

/** Where things are, as CSS selectors; all but `row`, `nothing` and `challenge` within a row. */
export interface PageShape {
  /** Where relative links lead. */
  readonly home: string
  readonly row: string
  readonly link: string
  readonly title?: string
  readonly snippet: string
  /** Rows that somebody paid for. */
  readonly ad?: string
  readonly nothing: string
  readonly challenge?: string
  /** What a link that counts its visitors leads to in the end. */
  readonly unwrap?: (url: URL) => string | undefined
}

const MAX_ROWS = 30

const SAID_NOTHING =
  /\b(?:no results (?:were )?found|there are no results|no pages found|did not match any|did not find (?:any )?results|not many great matches|no results for)\b/i

const CHALLENGES = [
  'form[action*="captcha" i]',
  'form#challenge-form',
  '#challenge-running',
  '#challenge-error-text',
  '.g-recaptcha',
  '.h-captcha',
  '.cf-turnstile',
  '.anomaly-modal',
  'script[src*="/anomaly.js"]',
  'script[src*="challenges.cloudflare.com"]',
  'script[src*="/cdn-cgi/challenge-platform/"]',
  'iframe[src*="captcha" i]',
].join(',')

const SAID_CHALLENGE =
  /\b(?:unusual traffic|are you (?:a )?(?:human|robot)|verify (?:that )?you are (?:a )?human|bots use|just a moment\.\.\.|solve the (?:captcha|challenge)|security check)\b/i

export function readResultPage({ text }: Pick<Answer, 'text'>, shape: PageShape): Outcome {
  const page = parsed(text)
  const rows = all(shape.row, page)
    .slice(0, MAX_ROWS)
    .filter((row) => shape.ad === undefined || !fits(row, shape.ad))
  const hits = rows.flatMap((row) => readRow(row, shape) ?? [])
  if (hits.length > 0) return { kind: 'ok', hits }
  if (isChallenge(page, shape.challenge)) return { kind: 'blocked', why: 'challenge' }
  if (rows.length === 0 && (first(shape.nothing, page) || SAID_NOTHING.test(shownText(page)))) return { kind: 'empty' }
  return LAYOUT_CHANGED
}

/** Whether a text that should have been something else is a page that asks for a human. */
export function asksForHuman(text: string): boolean {
  return /<(?:html|!doctype|body|form)\b/i.test(text.slice(0, 4096)) && isChallenge(parsed(text))
}

/** The text of a scrap of HTML, as some put it into their JSON. */
export function plainText(html: unknown): string {
  if (typeof html !== 'string') return ''
  return /[<&]/.test(html) ? shownText(parsed(html)) : html
}

function readRow(row: Node, { link, title, snippet, home, unwrap }: PageShape): Hit | undefined {
  const anchor = first(link, row)
  const href = anchor && attribute(anchor, 'href')
  if (!anchor || href === undefined || !URL.canParse(href, home)) return undefined
  const url = new URL(href, home)
  const named = title === undefined ? anchor : first(title, row)
  const said = first(snippet, row)
  return toHit({
    url: unwrap ? unwrap(url) : url.href,
    title: shownText(named ?? anchor),
    snippet: said ? shownText(said) : '',
  })
}

function isChallenge(page: Node, own?: string): boolean {
  const marks = own === undefined ? CHALLENGES : `${CHALLENGES},${own}`
  return first(marks, page) !== undefined || SAID_CHALLENGE.test(shownText(page).slice(0, 4096))
}
