// Nothing of a command can be kept, so it was not started as a job. Who only waits for its answer can do without.

import { Failure } from '../../lib/failure.js'

export class NotKept extends Failure {}

/** Whatever fails here fails because nothing can be kept. */
export function orNotKept<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw error instanceof Failure ? new NotKept(error.message, { cause: error }) : error
  }
}
