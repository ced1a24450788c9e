// Loads a page without a browser: Markdown if the server has it, a Markdown version that the page names, otherwise HTML.
// Follows meta refresh.

import { Failure } from '@scorpiox/mcp/errors'
import { contentKey, type FetchContext, processSnapshot } from './fetch-context.js'
import { findMarkdownAlternate, guessMarkdownAlternate } from './markdown-alternate.js'
import type { CachedPage } from './page-cache.js'
import { isHtmlSnapshot, type PageSnapshot } from './page-snapshot.js'

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

// Finds the URLs of the frames of a page by scanning its bytes. Old documentation uses framesets, and some pages consist of
// frames only.

const FRAMES_SCAN_BYTES = 20_000
const MAX_FRAMES = 6

/** Empty if the page is not a frameset and has text of its own. */
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
  if (!URL.canParse(text, base)) return []
  const { href, protocol } = new URL(text, base)
  return protocol === 'https:' || protocol === 'http:' ? [href] : []
}
