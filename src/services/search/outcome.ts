// Outcome of one engine request. "Found nothing" and "refused to answer" are different outcomes.

import type { Hit } from './hit.js'

export type Outcome =
  | { readonly kind: 'ok'; readonly hits: readonly Hit[]; readonly restMs?: number }
  /** The engine reports that it found nothing. */
  | { readonly kind: 'empty'; readonly restMs?: number }
  /** Bot check, or access denied. */
  | { readonly kind: 'blocked'; readonly why: 'challenge' | 'captcha' | 'forbidden' }
  | { readonly kind: 'rate_limited'; readonly retryMs?: number }
  /** A response in an unknown format. */
  | { readonly kind: 'layout_changed' }
  | { readonly kind: 'timeout' }
  /** Guarded fetch does not allow the URL. */
  | { readonly kind: 'refused'; readonly why: string }
  | { readonly kind: 'unreachable' | 'failed'; readonly why: string }

/** Reason of an engine whose host name does not resolve. If all engines have it, there is no network. */
export const UNRESOLVED = 'its name could not be looked up'

export const LAYOUT_CHANGED = { kind: 'layout_changed' } as const

export function failed(why: string): Outcome {
  return { kind: 'failed', why }
}
