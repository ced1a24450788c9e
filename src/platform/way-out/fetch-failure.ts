// Why something could not be fetched: a sentence for the model, and the kind for whoever decides what to try next.

import { Failure } from '../../lib/failure.js'

export type FetchProblem =
  | 'bad-url'
  /** It may not be reached: private, local, a forbidden port. */
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
