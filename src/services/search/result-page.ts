// Parses an HTML result page by CSS selectors. A page without results is classified as "nothing found", bot check, or
// changed layout.

import type { Answer } from './engine.js'
import { all, attribute, fits, first, parsed, shownText, type Node } from './html.js'
import { toHit, type Hit } from './hit.js'
import { LAYOUT_CHANGED, type Outcome } from './outcome.js'

/** CSS selectors; all except `row`, `noResults` and `challenge` apply within a row. */
export interface PageShape {
  /** Base of relative links. */
  readonly home: string
  readonly row: string
  readonly link: string
  readonly title?: string
  readonly snippet: string
  /** Advertisement rows. */
  readonly ad?: string
  readonly nothing: string
  readonly challenge?: string
  /** Extracts the target of a redirect link. */
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

export function readResultPage({ text }: Pick<Answer, 'text'>, selectors: PageShape): Outcome {
  const page = parsed(text)
  const rows = all(selectors.row, page)
    .slice(0, MAX_ROWS)
    .filter((row) => selectors.ad === undefined || !fits(row, selectors.ad))
  const hits = rows.flatMap((row) => readRow(row, selectors) ?? [])
  if (hits.length > 0) return { kind: 'ok', hits }
  if (isChallenge(page, selectors.challenge)) return { kind: 'blocked', why: 'challenge' }
  if (rows.length === 0 && (first(selectors.nothing, page) || SAID_NOTHING.test(shownText(page))))
    return { kind: 'empty' }
  return LAYOUT_CHANGED
}

/** Whether an unexpected response is an HTML page with a bot check. */
export function asksForHuman(text: string): boolean {
  return /<(?:html|!doctype|body|form)\b/i.test(text.slice(0, 4096)) && isChallenge(parsed(text))
}

/** Text of an HTML fragment, which some APIs return in JSON. */
export function plainText(html: unknown): string {
  if (typeof html !== 'string') return ''
  return /[<&]/.test(html) ? shownText(parsed(html)) : html
}

function readRow(row: Node, { link, title, snippet, home, unwrap }: PageShape): Hit | undefined {
  const anchor = first(link, row)
  const href = anchor && attribute(anchor, 'href')
  if (!anchor || href === undefined || !URL.canParse(href, home)) return undefined
  const url = new URL(href, home)
  const titleElement = title === undefined ? anchor : first(title, row)
  const snippetElement = first(snippet, row)
  return toHit({
    url: unwrap ? unwrap(url) : url.href,
    title: shownText(titleElement ?? anchor),
    snippet: snippetElement ? shownText(snippetElement) : '',
  })
}

function isChallenge(page: Node, extraSelector?: string): boolean {
  const challengeSelectors = extraSelector === undefined ? CHALLENGES : `${CHALLENGES},${extraSelector}`
  return first(challengeSelectors, page) !== undefined || SAID_CHALLENGE.test(shownText(page).slice(0, 4096))
}
