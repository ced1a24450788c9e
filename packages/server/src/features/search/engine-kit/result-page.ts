// Parses an HTML result page by CSS selectors. A page without results is classified as "nothing found", bot check, or
// changed layout.

import {
  elementText,
  matchesSelector,
  parseResultHtml,
  readAttribute,
  type ResultNode,
  selectElements,
  selectFirstElement,
} from './html.js'
import { type EngineOutcome, type EngineResponse, LAYOUT_CHANGED } from './search-engine.js'
import { parseHit, type SearchHit } from './search-hit.js'

/** CSS selectors; all except `row`, `noResults` and `challenge` apply within a row. */
export interface ResultPageSelectors {
  /** Base of relative links. */
  readonly baseUrl: string
  readonly row: string
  readonly link: string
  readonly title?: string
  readonly snippet: string
  /** Advertisement rows. */
  readonly ad?: string
  readonly noResults: string
  readonly challenge?: string
  /** Extracts the target of a redirect link. */
  readonly unwrap?: (url: URL) => string | undefined
}

const MAX_ROWS = 30

const NO_RESULTS_TEXT =
  /\b(?:no results (?:were )?found|there are no results|no pages found|did not match any|did not find (?:any )?results|not many great matches|no results for)\b/i

const CHALLENGE_SELECTORS = [
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

const CHALLENGE_TEXT =
  /\b(?:unusual traffic|are you (?:a )?(?:human|robot)|verify (?:that )?you are (?:a )?human|bots use|just a moment\.\.\.|solve the (?:captcha|challenge)|security check)\b/i

export function parseResultPage({ text }: Pick<EngineResponse, 'text'>, selectors: ResultPageSelectors): EngineOutcome {
  const page = parseResultHtml(text)
  const rows = selectElements(selectors.row, page)
    .slice(0, MAX_ROWS)
    .filter((row) => selectors.ad === undefined || !matchesSelector(row, selectors.ad))
  const hits = rows.flatMap((row) => parseRow(row, selectors) ?? [])
  if (hits.length > 0) return { kind: 'ok', hits }
  if (hasChallenge(page, selectors.challenge)) return { kind: 'blocked', why: 'challenge' }
  if (rows.length === 0 && (selectFirstElement(selectors.noResults, page) || NO_RESULTS_TEXT.test(elementText(page))))
    return { kind: 'empty' }
  return LAYOUT_CHANGED
}

/** Whether an unexpected response is an HTML page with a bot check. */
export function isBotChallenge(text: string): boolean {
  return /<(?:html|!doctype|body|form)\b/i.test(text.slice(0, 4096)) && hasChallenge(parseResultHtml(text))
}

/** Text of an HTML fragment, which some APIs return in JSON. */
export function htmlToText(html: unknown): string {
  if (typeof html !== 'string') return ''
  return /[<&]/.test(html) ? elementText(parseResultHtml(html)) : html
}

function parseRow(
  row: ResultNode,
  { link, title, snippet, baseUrl, unwrap }: ResultPageSelectors,
): SearchHit | undefined {
  const anchor = selectFirstElement(link, row)
  const href = anchor && readAttribute(anchor, 'href')
  if (!anchor || href === undefined || !URL.canParse(href, baseUrl)) return undefined
  const url = new URL(href, baseUrl)
  const titleElement = title === undefined ? anchor : selectFirstElement(title, row)
  const snippetElement = selectFirstElement(snippet, row)
  return parseHit({
    url: unwrap ? unwrap(url) : url.href,
    title: elementText(titleElement ?? anchor),
    snippet: snippetElement ? elementText(snippetElement) : '',
  })
}

function hasChallenge(page: ResultNode, extraSelector?: string): boolean {
  const challengeSelectors =
    extraSelector === undefined ? CHALLENGE_SELECTORS : `${CHALLENGE_SELECTORS},${extraSelector}`
  return (
    selectFirstElement(challengeSelectors, page) !== undefined || CHALLENGE_TEXT.test(elementText(page).slice(0, 4096))
  )
}
