// Parses an HTML result page by CSS selectors. A page without results is classified as "nothing found", bot check, or
// changed layout. Also the bounded HTML and XML trees, and text of HTML fragments, for engines with other formats. Used by
// the engines and by classify-response. Pure.

import { is, selectAll, selectOne } from 'css-select'
import { DomHandler, DomUtils, Parser } from 'htmlparser2'

import { type EngineOutcome, type EngineResponse, LAYOUT_CHANGED } from './search-engine.js'
import { parseHit, type SearchHit } from './search-hit.js'
import { tryParseUrl } from '../../../text/parse-url.js'

/** CSS selectors; all except `row`, `noResults` and `challenge` apply within a row. */
interface ResultPageSelectors {
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

export function resultPageParser(selectors: ResultPageSelectors): (response: EngineResponse) => EngineOutcome {
  return ({ text }) => parseResultPage(text, selectors)
}

function parseResultPage(text: string, selectors: ResultPageSelectors): EngineOutcome {
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
  const url = href === undefined ? undefined : tryParseUrl(href, baseUrl)
  if (!anchor || !url) return undefined
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

/** HTML and XML as a tree of bounded size and depth, queried with CSS selectors. */
export type ResultElement = Parameters<typeof DomUtils.getAttributeValue>[0]
type ResultNode = ResultElement | DomHandler['root']

/** More than a result page has. Querying a large tree blocks the event loop. */
const MAX_ELEMENTS = 12_000
/** Deeper than any result page. The cost of parsing and querying grows with the depth. */
const MAX_DEPTH = 256

/** Parses up to the limits of size and depth. */
export function parseResultHtml(html: string): ResultNode {
  return parseTree(html, false)
}

export function parseResultXml(xml: string): ResultNode {
  return parseTree(xml, true)
}

function parseTree(text: string, xmlMode: boolean): ResultNode {
  const handler = new DepthLimitedHandler()
  const parser = new Parser(handler, { xmlMode })
  handler.stop = () => parser.pause()
  parser.end(text)
  return handler.root
}

class DepthLimitedHandler extends DomHandler {
  stop = (): void => {}
  elements = 0

  override onopentag(name: string, attributes: Record<string, string>): void {
    if (this.tagStack.length > MAX_DEPTH || ++this.elements > MAX_ELEMENTS) this.stop()
    else super.onopentag(name, attributes)
  }
}

export function selectElements(selector: string, within: ResultNode): readonly ResultElement[] {
  return selectAll<ResultNode, ResultElement>(selector, within)
}

export function selectFirstElement(selector: string, within: ResultNode): ResultElement | undefined {
  return selectOne<ResultNode, ResultElement>(selector, within) ?? undefined
}

function matchesSelector(element: ResultElement, selector: string): boolean {
  return is<ResultNode, ResultElement>(element, selector)
}

export function readAttribute(element: ResultElement, name: string): string | undefined {
  return DomUtils.getAttributeValue(element, name)
}

/** Text content without scripts and styles, on one line. */
export function elementText(node: ResultNode): string {
  // innerText of a document node itself is empty.
  return DomUtils.innerText(node.children).replaceAll(/\s+/g, ' ').trim()
}
