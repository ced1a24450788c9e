// Why a fetch failed: a sentence for the model, and a kind that decides what to try next. Used by guarded fetch, the
// browser, documents and search. Pure.

import { Failure } from '@scorpiox/mcp/errors'

export type FetchFailureKind =
  | 'bad-url'
  /** Not allowed: a private or local address, or a blocked port. */
  | 'refused'
  | 'unresolved'
  | 'unreachable'
  | 'tls'
  | 'redirects'
  | 'timeout'
  | 'too-large'
  | 'broken'
  /** The page was fetched, but its text cannot be extracted. */
  | 'unreadable'
  | 'aborted'

export interface FetchFailureOptions extends ErrorOptions {
  /** The message contains text that a server chose, such as the target of a redirect. */
  readonly isUntrusted?: boolean
}

export class FetchFailure extends Failure {
  readonly isUntrusted: boolean

  constructor(
    readonly kind: FetchFailureKind,
    message: string,
    { isUntrusted = false, ...options }: FetchFailureOptions = {},
  ) {
    super(message, options)
    this.isUntrusted = isUntrusted
  }
}
