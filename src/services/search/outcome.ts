// How it went with one engine. That it found nothing, and that it would not say, are two things.

import type { Hit } from './hit.js'

export type Outcome =
  | { readonly kind: 'ok'; readonly hits: readonly Hit[]; readonly restMs?: number }
  /** It says that it found nothing. */
  | { readonly kind: 'empty'; readonly restMs?: number }
  /** It takes us for a robot, or does not want us. */
  | { readonly kind: 'blocked'; readonly why: 'challenge' | 'captcha' | 'forbidden' }
  | { readonly kind: 'rate_limited'; readonly retryMs?: number }
  /** An answer that we no longer know how to read. */
  | { readonly kind: 'layout_changed' }
  | { readonly kind: 'timeout' }
  /** Our own way out does not go there. */
  | { readonly kind: 'refused'; readonly why: string }
  | { readonly kind: 'unreachable' | 'failed'; readonly why: string }

/** Why an engine is unreachable whose name nobody knows. Where all are, there is no network. */
export const UNRESOLVED = 'its name could not be looked up'

export const LAYOUT_CHANGED = { kind: 'layout_changed' } as const

export function failed(why: string): Outcome {
  return { kind: 'failed', why }
}
