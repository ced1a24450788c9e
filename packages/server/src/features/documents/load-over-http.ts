// Loads a page without a browser: Markdown if the server has it, a Markdown version that the page names, otherwise HTML.
// Follows meta refresh and names the frames of a page that has no text. Used by load-page. Sends HTTP requests through the
// page fetcher.

import { Failure } from '@scorpiox/mcp/errors'
import { contentKey, type FetchContext, processSnapshot } from './fetch-context.js'
import type { CachedPage } from './page-cache.js'
import { isHtmlSnapshot, type PageSnapshot } from './page-fetcher.js'
import { tryParseUrl } from '../../text/parse-url.js'

const MAX_REFRESHES = 2
const NOT_ACCEPTABLE = 406
/** Meta refresh is ignored on pages with more text. */
const MAX_REFRESH_PAGE_CHARS = 1500
const MIN_ALTERNATE_CHARS = 50
/** Short, because the HTML page is already available. */
const ALTERNATE_TIMEOUT_MS = 8000

/** `response` is used instead of a first request if it is given. */
export async function loadOverHttp(context: FetchContext, response?: PageSnapshot): Promise<CachedPage> {
  const { fetchPage, preferredType, signal, request } = context
  let snapshot = response ?? (await fetchPage(request.url, { preferredType, signal }))
  if (snapshot.status === NOT_ACCEPTABLE) snapshot = await fetchPage(request.url, { preferredType: 'html', signal })
  for (let refreshes = 0; ; refreshes++) {
    const alternate = isCompleteHtml(snapshot) && (await loadAlternate(context, findMarkdownAlternate(snapshot)))
    if (alternate) return alternate
    const page = await processSnapshot(snapshot, context)
    const refreshUrl = findRefreshUrl(page, context)
    if (refreshUrl === '')
      return withFrames(
        (lacksText(page) && (await loadAlternate(context, guessMarkdownAlternate(snapshot.finalUrl)))) || page,
      )
    if (refreshes === MAX_REFRESHES) return refreshLoopResult(page, refreshUrl)
    try {
      snapshot = await fetchPage(refreshUrl, { preferredType, signal })
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      return {
        ...page,
        notes: ['The page redirects (meta refresh), and the target could not be fetched.'],
        quotes: [`Target of the redirect: ${refreshUrl}`, error.message],
      }
    }
  }
}

function refreshLoopResult(page: CachedPage, refreshUrl: string): CachedPage {
  const reason = 'The page redirects repeatedly (meta refresh). Request the final URL directly if you know it.'
  const quotes = [...page.quotes, `Target of the last redirect: ${refreshUrl}`]
  return { ...page, quotes, classification: { status: 'empty', reason, browserWouldHelp: 'no' } }
}

/** Names the frames of a page that has no text of its own. */
function withFrames(page: CachedPage): CachedPage {
  const frameUrls = findFrameUrls(page.snapshot, page.classification.status === 'empty')
  if (frameUrls.length === 0) return page
  const notes = [...page.notes, 'The page consists of frames. Read one of those listed above.']
  return { ...page, notes, quotes: [...page.quotes, `Frames: ${frameUrls.join(' ')}`] }
}

function isCompleteHtml(snapshot: PageSnapshot): boolean {
  return snapshot.status === 200 && isHtmlSnapshot(snapshot)
}

function lacksText({ classification }: CachedPage): boolean {
  return classification.status === 'needs_javascript' || classification.status === 'empty'
}

function findRefreshUrl({ snapshot, contents }: CachedPage, { request }: FetchContext): string {
  const content = contents.get(contentKey(request))
  if (!content || content.content.length > MAX_REFRESH_PAGE_CHARS) return ''
  const { refreshTo } = content.metadata.signals
  return refreshTo === snapshot.finalUrl ? '' : refreshTo
}

/** Undefined if there is none, or it is not Markdown. */
async function loadAlternate(context: FetchContext, url: string | undefined): Promise<CachedPage | undefined> {
  if (url === undefined || context.preferredType !== 'markdown') return undefined
  try {
    const snapshot = await context.fetchPage(url, {
      preferredType: 'markdown',
      source: 'markdown-alternate',
      timeoutMs: ALTERNATE_TIMEOUT_MS,
      signal: context.signal,
    })
    if (
      snapshot.status !== 200 ||
      !/^text\/((x-)?markdown|plain)\b/i.test(snapshot.contentType) ||
      looksLikeHtml(snapshot)
    )
      return undefined
    const page = await processSnapshot(snapshot, context)
    const textLength = page.contents.get(contentKey(context.request))?.content.length ?? 0
    return page.classification.status === 'ok' && textLength >= MIN_ALTERNATE_CHARS ? page : undefined
  } catch (error) {
    if (!(error instanceof Failure) || context.signal.aborted) throw error
    return undefined
  }
}

function looksLikeHtml({ bytes }: PageSnapshot): boolean {
  return /^\s*<(!doctype|html|head|body)\b/i.test(bytes.subarray(0, 500).toString('latin1'))
}

const FRAMES_SCAN_BYTES = 20_000
const MAX_FRAMES = 6

/**
 * Finds the URLs of the frames of a page by scanning its bytes. Old documentation uses framesets, and some pages
 * consist of frames only. Empty if the page is not a frameset and has text of its own.
 */
function findFrameUrls(snapshot: PageSnapshot, hasNoText: boolean): readonly string[] {
  if (!isHtmlSnapshot(snapshot)) return []
  const html = snapshot.bytes.subarray(0, FRAMES_SCAN_BYTES).toString('latin1')
  if (!hasNoText && !/<frameset\b/i.test(html)) return []
  const matches = html.matchAll(/<i?frame\b[^<>]{0,1000}?\bsrc\s*=\s*(?:"([^"<>]+)"|'([^'<>]+)'|([^\s"'<>]+))/gi)
  const urls = [...matches].flatMap(([, double, single, bare]) =>
    resolveFrameUrl(double ?? single ?? bare ?? '', snapshot.finalUrl),
  )
  return [...new Set(urls)].slice(0, MAX_FRAMES)
}

function resolveFrameUrl(rawUrl: string, base: string): readonly string[] {
  const text = rawUrl.replaceAll('&amp;', '&').trim()
  const url = tryParseUrl(text, base)
  return url?.protocol === 'https:' || url?.protocol === 'http:' ? [url.href] : []
}

/** Such links are in the head or in a bar above the text. */
const ALTERNATE_SCAN_BYTES = 200_000
/** Bounds the work on very long headers. */
const MAX_LINK_HEADER = 8000

/**
 * Finds the URL of the Markdown version of a page: in a Link header, in a link element, or in an anchor to the page's
 * own URL with `.md`. Scans the bytes, so that a page with a Markdown version need not be parsed.
 */
export function findMarkdownAlternate(snapshot: PageSnapshot): string | undefined {
  const html = snapshot.bytes.subarray(0, ALTERNATE_SCAN_BYTES).toString('latin1')
  return (
    findInLinkHeader(snapshot) ?? findInLinkElement(html, snapshot.finalUrl) ?? findInAnchor(html, snapshot.finalUrl)
  )
}

/** The most likely URL, for pages without text. */
export function guessMarkdownAlternate(url: string): string | undefined {
  const { pathname } = new URL(url)
  const isPagePath = pathname !== '/' && /(^|\/)[^/.]+\/?$|\.html?$/i.test(pathname)
  return isPagePath ? alternateUrls(url)[0] : undefined
}

function findInLinkHeader({ headers, finalUrl }: PageSnapshot): string | undefined {
  const links = (headers.get('link') ?? '')
    .slice(0, MAX_LINK_HEADER)
    .matchAll(/<([^<>]*)>((?:\s*;[^,;"]*(?:"[^"]*"[^,;"]*)?)*)/g)
  for (const [, target = '', params = ''] of links) {
    const [, relations = ''] = /\brel\s*=\s*"?([^";]*)/i.exec(params) ?? []
    if (isAlternate(relations) && /\btype\s*=\s*"?text\/(x-)?markdown\b/i.test(params)) {
      return resolveUrl(target, finalUrl)
    }
  }
  return undefined
}

function findInLinkElement(html: string, url: string): string | undefined {
  for (const [tag] of html.matchAll(/<link\b[^<>]{1,2000}>/gi)) {
    const [, relations = ''] = /\brel\s*=\s*["']?([^"'>]*)/i.exec(tag) ?? []
    if (!isAlternate(relations) || !/\btype\s*=\s*["']?text\/(x-)?markdown\b/i.test(tag)) continue
    const href = /\bhref\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]+))/i.exec(tag)
    if (href) return resolveUrl(href[1] ?? href[2] ?? href[3] ?? '', url)
  }
  return undefined
}

function isAlternate(relations: string): boolean {
  return /\balternate\b/i.test(relations)
}

/** "View as Markdown" links: the page's own URL with the extension `.md`. */
function findInAnchor(html: string, url: string): string | undefined {
  const candidates = new Set(alternateUrls(url))
  for (const [, href = ''] of html.matchAll(/<a\b[^<>]{0,500}?\bhref\s*=\s*["']?([^"'\s<>]{1,500}\.md)["'\s>]/gi)) {
    const target = resolveUrl(href, url)
    if (target !== undefined && candidates.has(target)) return target
  }
  return undefined
}

function alternateUrls(url: string): readonly string[] {
  const { origin, pathname } = new URL(url)
  const stem = pathname.replace(/\.html?$/i, '').replace(/\/$/, '')
  if (stem === '') return [`${origin}/index.md`]
  return [`${origin}${stem}.md`, `${origin}${stem}/index.md`]
}

function resolveUrl(href: string, base: string): string | undefined {
  const text = href.replaceAll('&amp;', '&').trim()
  const target = tryParseUrl(text, base)
  if (!target) return undefined
  target.hash = ''
  return target.href === base ? undefined : target.href
}
