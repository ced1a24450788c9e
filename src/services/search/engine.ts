// A search engine: two pure functions that build a request and parse the response, and data about it. Timeouts,
// cooldowns, charsets and merging are implemented once, outside of the engines.

import type { Outcome } from './outcome.js'
import type { QueryKind } from './kind-of-query.js'

export interface Engine {
  readonly id: string
  /** Engines of one family share an index, so their agreement counts once. */
  readonly family: string
  readonly tier: Tier
  /** Weight of its ranking: 1 for a good index of the whole web. */
  readonly weight: number
  /** Base URL without a trailing slash; `{language}` is replaced by the language of the query. */
  readonly base: string
  /** Query kinds for which a vertical engine is used. */
  readonly kinds?: readonly QueryKind[]
  /** Whether it accepts or requires an API key. */
  readonly key?: 'optional' | 'required'
  /** Name of its key in WEBSEARCH_KEYS; default: its id. */
  readonly keyName?: string
  readonly pace?: Pace
  readonly maxQuery?: number
  /** It supports `site:` and other operators; other engines receive the query without them. */
  readonly operators?: true
  /** A token that must be fetched before the first request. */
  readonly token?: TokenStep
  readonly ask: (query: Asked, way: Way) => Question
  readonly read: (answer: Answer) => Outcome
}

/** `endpoint`: documented API without a key; `page`: public result page; `vertical`: one subject; `keyed`: account. */
export type Tier = 'endpoint' | 'page' | 'vertical' | 'keyed'

/** Token bucket: one request every `intervalMs` on average, and up to `burst` at once. */
export interface Pace {
  readonly everyMs: number
  readonly burst: number
}

export interface TokenStep {
  readonly keepMs: number
  readonly ask: (way: Way) => Question
  /** The token, or an outcome if there is none. */
  readonly read: (answer: Answer) => string | Outcome
}

/** The query as sent to one engine. */
export interface Asked {
  readonly text: string
  /** Host of the `site:` operator. */
  readonly site: string | undefined
  /** Two-letter code, guessed from the script. */
  readonly language: string
}

export interface Way {
  readonly base: string
  readonly key: string | undefined
  readonly token: string | undefined
}

export interface Question {
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  /** If set, the method is POST. */
  readonly body?: string
}

export interface Answer {
  readonly status: number
  readonly url: string
  readonly headers: Headers
  readonly text: string
}
