// The type of a search engine: two pure functions that build a request and parse the response, and data about it; also
// the outcome of a request. Timeouts, cooldowns, charsets and merging are implemented once, outside of the engines.
// Used by all engines and the search service. No I/O.

import type { SearchHit } from './search-hit.js'

export interface SearchEngine {
  readonly id: string
  /** Engines of one family share an index, so their agreement counts once. */
  readonly family: string
  readonly tier: EngineTier
  /** Weight of its ranking: 1 for a good index of the whole web. */
  readonly weight: number
  /** Base URL without a trailing slash; `{language}` is replaced by the language of the query. */
  readonly baseUrl: string
  /** Query kinds for which a vertical engine is used. */
  readonly kinds?: readonly QueryKind[]
  /** Whether it accepts or requires an API key. */
  readonly apiKey?: 'optional' | 'required'
  /** Name of its key in WEBSEARCH_KEYS; default: its id. */
  readonly keyName?: string
  readonly rateLimit?: RateLimit
  readonly maxQuery?: number
  /** It supports `site:` and other operators; other engines receive the query without them. */
  readonly supportsOperators?: true
  /** A token that must be fetched before the first request. */
  readonly token?: TokenStep
  readonly buildRequest: (query: EngineQuery, way: EngineAccess) => EngineRequest
  readonly parseResponse: (answer: EngineResponse) => EngineOutcome
}

/** `endpoint`: documented API without a key; `page`: public result page; `vertical`: one subject; `keyed`: account. */
export type EngineTier = 'endpoint' | 'page' | 'vertical' | 'keyed'

/** Selects the vertical engine. */
export type QueryKind = 'general' | 'code' | 'javascript' | 'rust' | 'library' | 'paper' | 'news' | 'platform'

/** Token bucket: one request every `intervalMs` on average, and up to `burst` at once. */
export interface RateLimit {
  readonly intervalMs: number
  readonly burst: number
}

export interface TokenStep {
  readonly lifetimeMs: number
  readonly buildRequest: (way: EngineAccess) => EngineRequest
  /** The token, or an outcome if there is none. */
  readonly parseToken: (answer: EngineResponse) => string | EngineOutcome
}

/** The query as sent to one engine. */
export interface EngineQuery {
  readonly text: string
  /** Host of the `site:` operator. */
  readonly site: string | undefined
  /** Two-letter code, guessed from the script. */
  readonly language: string
}

export interface EngineAccess {
  readonly baseUrl: string
  readonly apiKey: string | undefined
  readonly token: string | undefined
}

export interface EngineRequest {
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  /** If set, the method is POST. */
  readonly body?: string
}

export interface EngineResponse {
  readonly status: number
  readonly url: string
  readonly headers: Headers
  readonly text: string
}

/** Outcome of one engine request. "Found nothing" and "refused to answer" are different outcomes. */
export type EngineOutcome =
  | { readonly kind: 'ok'; readonly hits: readonly SearchHit[]; readonly backoffMs?: number }
  /** The engine reports that it found nothing. */
  | { readonly kind: 'empty'; readonly backoffMs?: number }
  /** Bot check, or access denied. */
  | { readonly kind: 'blocked'; readonly why: 'challenge' | 'captcha' | 'forbidden' }
  | { readonly kind: 'rate_limited'; readonly retryAfterMs?: number }
  /** A response in an unknown format. */
  | { readonly kind: 'layout_changed' }
  | { readonly kind: 'timeout' }
  /** Guarded fetch does not allow the URL. */
  | { readonly kind: 'refused'; readonly why: string }
  | { readonly kind: 'unreachable' | 'failed'; readonly why: string }

/** Reason of an engine whose host name does not resolve. If all engines have it, there is no network. */
export const HOST_NOT_FOUND = 'its host name could not be looked up'

export const LAYOUT_CHANGED = { kind: 'layout_changed' } as const

export function failedOutcome(why: string): EngineOutcome {
  return { kind: 'failed', why }
}

/** Encodes form fields for a URL or a request body. */
export function encodeForm(values: Readonly<Record<string, string>>): string {
  return new URLSearchParams(values).toString()
}
