// The dear way to a document: the page as its scripts make it, in the warm browser.

import { orAborted } from '../../lib/or-aborted.js'
import { FetchFailure } from '../../platform/way-out/fetch-failure.js'
import type { Copy } from './copy.js'
import type { Kept } from './page-cache.js'
import { examine, type Trip } from './trip.js'

const MAX_MS = 20_000
/** What must be left for taking the page apart. */
const RESERVE_MS = 5000
const MIN_MS = 1000
const MAX_BYTES = 10 * 1024 * 1024

/** `plain`: what plain HTTP gave of it, if anything. */
export async function renderPage(trip: Trip, plain: Kept | undefined): Promise<Kept> {
  const { wish, browser, left, tell, signal } = trip
  const maxMs = Math.min(MAX_MS + wish.waitMs, left() - RESERVE_MS)
  if (maxMs < MIN_MS) throw new FetchFailure('timeout', 'There was no time left to open it in a browser.')
  tell(`${plain && wish.waitMs === 0 ? 'The page needs JavaScript: opening' : 'Opening'} it in the browser`)
  const work = browser.render(wish.url, { settleMs: wish.waitMs, maxMs, maxBytes: MAX_BYTES, signal })
  const rendered = await orAborted(work, signal)
  const copy: Copy = {
    asked: wish.url,
    url: rendered.url,
    status: rendered.status || (plain?.copy.status ?? 200),
    headers: plain?.copy.headers ?? new Headers(),
    contentType: 'text/html; charset=utf-8',
    bytes: Buffer.from(rendered.html),
    way: 'browser',
    cut: rendered.isCut ? 'size' : undefined,
    waitedMs: Math.round(rendered.waitedMs),
  }
  const notes = rendered.isQuiet ? [] : ['The page was still changing when the time was up; wait_ms waits longer.']
  return examine(copy, trip, notes)
}
