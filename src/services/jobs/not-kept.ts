// The job directory cannot be used. A background job then cannot start; a foreground command runs without a record.

import { Failure } from '../../lib/failure.js'

export class NotKept extends Failure {}

/** Turns a Failure of `work` into a JobStorageFailure. */
export function orNotKept<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw error instanceof Failure ? new NotKept(error.message, { cause: error }) : error
  }
}
