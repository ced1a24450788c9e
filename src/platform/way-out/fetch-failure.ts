// Why a fetch failed: a sentence for the model, and a kind that decides what to try next.

import { Failure } from '../../lib/failure.js'

export type FetchProblem =
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
    readonly problem: FetchProblem,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options)
  }
}
