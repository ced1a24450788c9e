// Loads a page over HTTP, then in the browser if it needs scripts or wait_ms is set. If the browser fails, the HTTP
// result is returned with a note.

import { Failure } from '../../lib/failure.js'
import { reasonOf } from '../../lib/reason-of.js'
import { FetchFailure, type FetchProblem } from '../../platform/way-out/fetch-failure.js'
import { isHtml } from './copy.js'
import type { Kept } from './page-cache.js'
import { readPlainPage } from './plain-page.js'
import { renderPage } from './rendered-page.js'
import { readingName, type Trip } from './trip.js'
import type { Wish } from './wish.js'

/** Fetch problems that a browser may not have. */
const BROWSER_MAY_HELP: ReadonlySet<FetchProblem> = new Set(['timeout', 'broken', 'unreachable', 'tls'])
/** Text length of the rendered page relative to the HTTP one, from which the rendered page is used. */
const MIN_RATIO_REQUESTED = 0.5
const MIN_RATIO_AUTOMATIC = 1.1

export async function climb(
  context: Trip,
  loadPlain: () => Promise<Kept> = () => readPlainPage(context),
): Promise<Kept> {
  const isBrowserRequested = context.wish.waitMs > 0 || context.wish.isRoute
  const plain = await resultOrFailure(loadPlain, isBrowserRequested)
  if (plain instanceof FetchFailure) return renderAfterFailure(context, plain)
  if (!isBrowserRequested && plain.verdict.scripts === 'no') return plain
  if (!isHtml(plain.copy)) return withNote(plain, 'wait_ms was ignored: this is not an HTML page.')
  try {
    return pickBetter(plain, await renderPage(context, plain), context.wish, isBrowserRequested)
  } catch (error) {
    const isTimedOut = context.signal.aborted
    if (!isTimedOut && !(error instanceof Failure)) throw error
    const reason = isTimedOut ? 'The browser took too long.' : reasonOf(error)
    return withNote(plain, `This is the page over plain HTTP, without running its scripts. ${reason}`)
  }
}

async function resultOrFailure(
  loadPlain: () => Promise<Kept>,
  isBrowserRequested: boolean,
): Promise<Kept | FetchFailure> {
  try {
    return await loadPlain()
  } catch (error) {
    if (isBrowserRequested && error instanceof FetchFailure && BROWSER_MAY_HELP.has(error.problem)) return error
    throw error
  }
}

async function renderAfterFailure(context: Trip, httpFailure: FetchFailure): Promise<Kept> {
  try {
    return await renderPage(context, undefined)
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    throw httpFailure
  }
}

function pickBetter(plain: Kept, rendered: Kept, request: Wish, isBrowserRequested: boolean): Kept {
  if (isOk(plain) !== isOk(rendered)) return isOk(plain) ? plain : rendered
  const textLength = (page: Kept): number => page.readings.get(readingName(request))?.content.length ?? 0
  if (!isOk(plain)) return rendered
  const minRatio = isBrowserRequested ? MIN_RATIO_REQUESTED : MIN_RATIO_AUTOMATIC
  return textLength(rendered) > textLength(plain) * minRatio ? rendered : plain
}

function isOk({ verdict }: Kept): boolean {
  return verdict.status === 'ok'
}

function withNote(page: Kept, note: string): Kept {
  return { ...page, notes: [...page.notes, note] }
}
