// Where a copy stands in the cache: by who read it, what they prefer, how long they waited for its scripts, and its address.

import type { Taste } from './ask.js'
import type { Wish } from './wish.js'

/** Who wants the markup, or no markup at all, or a section that the markup names, is given the page rather than its twin. */
export function tasteOf({ format, fragment }: Wish): Taste {
  return format !== 'markdown' || fragment !== '' ? 'page' : 'markdown'
}

export function markOf(user: string, { url, waitMs }: Wish, taste: Taste, waited = waitMs): string {
  return JSON.stringify([user, taste, waited, url])
}

/** Everywhere that a copy of that page may stand. */
export function marksOf(user: string, wish: Wish): readonly string[] {
  const waits = new Set([wish.waitMs, 0])
  return [...waits].flatMap((waited) => [markOf(user, wish, 'markdown', waited), markOf(user, wish, 'page', waited)])
}
