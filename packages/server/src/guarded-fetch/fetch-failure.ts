// Why a fetch failed: a sentence for the model, and a kind that decides what to try next.

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
  | 'aborted'

export class FetchFailure extends Failure {
  constructor(
    readonly kind: FetchFailureKind,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options)
  }
}
