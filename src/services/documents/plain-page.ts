// Loads a page without a browser: Markdown if the server has it, a Markdown version that the page names, otherwise HTML.
// Follows meta refresh.

import { Failure } from '../../lib/failure.js'
import { isHtml, type Copy } from './copy.js'
import type { Kept } from './page-cache.js'
import { examine, readingName, type Trip } from './trip.js'
import { framesOf } from './frames.js'
import { likelyTwin, twinOf } from './twin.js'

const MAX_REFRESHES = 2
const NOT_ACCEPTABLE = 406
/** Meta refresh is ignored on pages with more text. */
const MAX_REFRESH_PAGE_CHARS = 1500
const MIN_ALTERNATE_CHARS = 50
/** Short, because the HTML page is already available. */
const ALTERNATE_TIMEOUT_MS = 8000

/** `response` is used instead of a first request if it is given. */
export async function readPlainPage(context: Trip, response?: Copy): Promise<Kept> {
  const { ask, taste, signal, wish } = context
  let snapshot = response ?? (await ask(wish.url, { taste, signal }))
  if (snapshot.status === NOT_ACCEPTABLE) snapshot = await ask(wish.url, { taste: 'html', signal })
  for (let refreshes = 0; ; refreshes++) {
    const alternate = isCompleteHtml(snapshot) && (await loadAlternate(context, twinOf(snapshot)))
    if (alternate) return alternate
    const page = await examine(snapshot, context)
    const refreshUrl = findRefreshUrl(page, context)
    if (refreshUrl === '')
      return withFrames((lacksText(page) && (await loadAlternate(context, likelyTwin(snapshot.url)))) || page)
    if (refreshes === MAX_REFRESHES) return refreshLoopResult(page, refreshUrl)
    try {
      snapshot = await ask(refreshUrl, { taste, signal })
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      return {
        ...page,
        notes: [`The page redirects to ${refreshUrl} (meta refresh), which could not be fetched: ${error.message}`],
      }
    }
  }
}

function refreshLoopResult(page: Kept, refreshUrl: string): Kept {
  const reason = `The page redirects repeatedly (meta refresh), last to ${refreshUrl}. Request the final URL directly if you know it.`
  return { ...page, verdict: { status: 'empty', seen: reason, scripts: 'no' } }
}

/** Names the frames of a page that has no text of its own. */
function withFrames(page: Kept): Kept {
  const frameUrls = framesOf(page.copy, page.verdict.status === 'empty')
  if (frameUrls.length === 0) return page
  return { ...page, notes: [...page.notes, `The page consists of frames. Read one of them: ${frameUrls.join(' ')}`] }
}

function isCompleteHtml(snapshot: Copy): boolean {
  return snapshot.status === 200 && isHtml(snapshot)
}

function lacksText({ verdict }: Kept): boolean {
  return verdict.status === 'needs_javascript' || verdict.status === 'empty'
}

function findRefreshUrl({ copy, readings }: Kept, { wish }: Trip): string {
  const content = readings.get(readingName(wish))
  if (!content || content.content.length > MAX_REFRESH_PAGE_CHARS) return ''
  const { refreshTo } = content.reading.evidence
  return refreshTo === copy.url ? '' : refreshTo
}

/** Undefined if there is none, or it is not Markdown. */
async function loadAlternate(context: Trip, url: string | undefined): Promise<Kept | undefined> {
  if (url === undefined || context.taste !== 'markdown') return undefined
  try {
    const snapshot = await context.ask(url, {
      taste: 'markdown',
      way: 'markdown-alternate',
      timeoutMs: ALTERNATE_TIMEOUT_MS,
      signal: context.signal,
    })
    if (
      snapshot.status !== 200 ||
      !/^text\/((x-)?markdown|plain)\b/i.test(snapshot.contentType) ||
      looksLikeHtml(snapshot)
    )
      return undefined
    const page = await examine(snapshot, context)
    const textLength = page.readings.get(readingName(context.wish))?.content.length ?? 0
    return page.verdict.status === 'ok' && textLength >= MIN_ALTERNATE_CHARS ? page : undefined
  } catch (error) {
    if (!(error instanceof Failure) || context.signal.aborted) throw error
    return undefined
  }
}

function looksLikeHtml({ bytes }: Copy): boolean {
  return /^\s*<(!doctype|html|head|body)\b/i.test(bytes.subarray(0, 500).toString('latin1'))
}
