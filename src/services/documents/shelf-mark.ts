// Cache keys of pages: user, preferred content type, wait for scripts and URL.

import type { Taste } from './ask.js'
import type { Wish } from './wish.js'

/** HTML and text output, and section requests, need the HTML page; otherwise the Markdown version is preferred. */
export function tasteOf({ format, fragment }: Wish): Taste {
  return format !== 'markdown' || fragment !== '' ? 'html' : 'markdown'
}

export function markOf(user: string, { url, waitMs }: Wish, preferredType: Taste, renderWaitMs = waitMs): string {
  return JSON.stringify([user, preferredType, renderWaitMs, url])
}

/** All keys under which the page may be cached. */
export function marksOf(user: string, request: Wish): readonly string[] {
  const waits = new Set([request.waitMs, 0])
  return [...waits].flatMap((renderWaitMs) => [
    markOf(user, request, 'markdown', renderWaitMs),
    markOf(user, request, 'html', renderWaitMs),
  ])
}
