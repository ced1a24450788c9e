// The cheapest way that works: plain HTTP, and the browser only where the page shows that it needs one, or somebody wants
// to wait for it. What an earlier rung brought is never lost by a later one.

import { Failure } from '../../lib/failure.js'
import { reasonOf } from '../../lib/reason-of.js'
import { FetchFailure, type FetchProblem } from '../../platform/way-out/fetch-failure.js'
import { isHtml } from './copy.js'
import type { Kept } from './page-cache.js'
import { readPlainPage } from './plain-page.js'
import { renderPage } from './rendered-page.js'
import { readingName, type Trip } from './trip.js'
import type { Wish } from './wish.js'

/** Where a browser may come through although we did not. */
const BROWSER_MAY_HELP: ReadonlySet<FetchProblem> = new Set(['timeout', 'broken', 'unreachable', 'tls'])
/** A page rendered on somebody's wish is given even if there is a little less of it. */
const LESS = 0.5
const MORE = 1.1

export async function climb(trip: Trip, plainPage: () => Promise<Kept> = () => readPlainPage(trip)): Promise<Kept> {
  const isForced = trip.wish.waitMs > 0 || trip.wish.isRoute
  const plain = await orProblem(plainPage, isForced)
  if (plain instanceof FetchFailure) return renderInstead(trip, plain)
  if (!isForced && plain.verdict.scripts === 'no') return plain
  if (!isHtml(plain.copy)) return noted(plain, 'wait_ms was not used: this is no HTML page.')
  try {
    return better(plain, await renderPage(trip, plain), trip.wish, isForced)
  } catch (error) {
    const isLate = trip.signal.aborted
    if (!isLate && !(error instanceof Failure)) throw error
    const why = isLate ? 'The browser took too long.' : reasonOf(error)
    return noted(plain, `This is what plain HTTP gave, without its scripts. ${why}`)
  }
}

async function orProblem(plainPage: () => Promise<Kept>, isForced: boolean): Promise<Kept | FetchFailure> {
  try {
    return await plainPage()
  } catch (error) {
    if (isForced && error instanceof FetchFailure && BROWSER_MAY_HELP.has(error.problem)) return error
    throw error
  }
}

async function renderInstead(trip: Trip, problem: FetchFailure): Promise<Kept> {
  try {
    return await renderPage(trip, undefined)
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    throw problem
  }
}

function better(plain: Kept, rendered: Kept, wish: Wish, isForced: boolean): Kept {
  if (isFine(plain) !== isFine(rendered)) return isFine(plain) ? plain : rendered
  const chars = (kept: Kept): number => kept.readings.get(readingName(wish))?.content.length ?? 0
  if (isFine(plain)) return chars(rendered) > chars(plain) * (isForced ? LESS : MORE) ? rendered : plain
  return rendered
}

function isFine({ verdict }: Kept): boolean {
  return verdict.status === 'ok'
}

function noted(kept: Kept, note: string): Kept {
  return { ...kept, notes: [...kept.notes, note] }
}
