// Loads a page in the browser, which runs its scripts.

import { orAborted } from '../../lib/or-aborted.js'
import { FetchFailure } from '../../platform/way-out/fetch-failure.js'
import type { Copy } from './copy.js'
import type { Kept } from './page-cache.js'
import { examine, type Trip } from './trip.js'

const MAX_RENDER_MS = 20_000
/** Time reserved for extracting the text. */
const EXTRACT_RESERVE_MS = 5000
const MIN_RENDER_MS = 1000
const MAX_RENDERED_BYTES = 10 * 1024 * 1024

/** `httpPage`: the result over plain HTTP, if there is one. */
export async function renderPage(context: Trip, httpPage: Kept | undefined): Promise<Kept> {
  const { wish, browser, left, tell, signal } = context
  const maxMs = Math.min(MAX_RENDER_MS + wish.waitMs, left() - EXTRACT_RESERVE_MS)
  if (maxMs < MIN_RENDER_MS)
    throw new FetchFailure('timeout', 'There was not enough time left to open the page in a browser.')
  tell(`${httpPage && wish.waitMs === 0 ? 'The page needs JavaScript: opening' : 'Opening'} it in the browser`)
  const rendering = browser.render(wish.url, { settleMs: wish.waitMs, maxMs, maxBytes: MAX_RENDERED_BYTES, signal })
  const rendered = await orAborted(rendering, signal)
  const snapshot: Copy = {
    asked: wish.url,
    url: rendered.url,
    status: rendered.status || (httpPage?.copy.status ?? 200),
    headers: httpPage?.copy.headers ?? new Headers(),
    contentType: 'text/html; charset=utf-8',
    bytes: Buffer.from(rendered.html),
    way: 'browser',
    cut: rendered.isCut ? 'size' : undefined,
    waitedMs: Math.round(rendered.waitedMs),
  }
  const notes = rendered.isQuiet
    ? []
    : ['The page was still changing when the time limit was reached; wait_ms waits longer.']
  return examine(snapshot, context, notes)
}
