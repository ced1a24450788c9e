// The error for a command line that cannot be run as typed.

import { Failure } from '@scorpiox/mcp/errors'

/** The message says what was expected. The process exits with code 2. */
export class UsageError extends Failure {
  override readonly name = 'UsageError'
  readonly exitCode = 2
}
