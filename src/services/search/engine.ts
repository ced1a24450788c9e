// An engine is two pure functions: how to ask, and how to read what came back. Timeouts, retries, cooldowns, charsets and
// merging live elsewhere, once.

import type { Outcome } from './outcome.js'
import type { QueryKind } from './query.js'

export interface Engine {
  readonly id: string
  /** Engines of one family share an index, and count as one voice. */
  readonly family: string
  readonly tier: Tier
  /** How much its word counts: 1 for a good index of the whole web. */
  readonly weight: number
  /** Its own address, without a slash at the end; `{language}` stands for that of the query. */
  readonly base: string
  /** The kinds of query a vertical is asked for. */
  readonly kinds?: readonly QueryKind[]
  /** Whether it takes a key, or cannot do without. */
  readonly key?: 'taken' | 'needed'
  /** What WEBSEARCH_KEYS calls its key; the engine's own name unless told. */
  readonly keyName?: string
  readonly pace?: Pace
  readonly maxQuery?: number
  /** Whether it understands `site:` and other operators; who does not is given plain words. */
  readonly operators?: true
  /** What must be had before it can be asked, and is good for a while. */
  readonly token?: TokenStep
  readonly ask: (query: Asked, way: Way) => Question
  readonly read: (answer: Answer) => Outcome
}

/** `endpoint`: documented and keyless, `page`: a public result page, `vertical`: one subject, `keyed`: with an account. */
export type Tier = 'endpoint' | 'page' | 'vertical' | 'keyed'

/** One request every so many milliseconds in the long run, and as many at once. */
export interface Pace {
  readonly everyMs: number
  readonly burst: number
}

export interface TokenStep {
  readonly keepMs: number
  readonly ask: (way: Way) => Question
  /** The token, or why there is none. */
  readonly read: (answer: Answer) => string | Outcome
}

/** The query as this engine is given it. */
export interface Asked {
  readonly text: string
  /** The host that `site:` names. */
  readonly site: string | undefined
  /** Two letters, guessed from the script. */
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
  /** Sent by POST. */
  readonly body?: string
}

export interface Answer {
  readonly status: number
  readonly url: string
  readonly headers: Headers
  readonly text: string
}
