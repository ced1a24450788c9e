// Validates the input of SetCallback and applies its defaults and limits. The messages of its failures are documented. Used
// by callback-service. Pure.

import { Failure } from '@scorpiox/mcp/errors'

const MAX_MESSAGE = 2048
const MAX_DELAY = 3600
const DEFAULT_REPEATS = 20
const MAX_REPEATS = 1_000_000

export interface SetCallbackInput {
  readonly message?: string | undefined
  readonly delay_seconds?: number | undefined
  readonly repeat_count?: number | undefined
  readonly task_id?: number | undefined
  readonly pattern?: string | undefined
}

export interface SetCallbackRequest {
  readonly message: string
  /** -1: unlimited. */
  readonly repeats: number
  /** 0 if it waits for an event. */
  readonly delayMs: number
  readonly job: number | null
  readonly pattern: string | null
}

export function parseSetCallback(input: SetCallbackInput): SetCallbackRequest {
  const { message = '', task_id: job, pattern } = input
  if (message.trim() === '') throw new Failure('Error: missing message parameter')
  const length = Array.from(message).length
  if (length > MAX_MESSAGE) throw new Failure(`Error: message is longer than ${MAX_MESSAGE} characters (got ${length})`)
  if (job !== undefined) return parseEventCallback(input, message, job)
  if (pattern !== undefined) throw new Failure('Error: pattern requires task_id, the number of the job that prints it')
  const seconds = input.delay_seconds ?? 0
  if (!Number.isInteger(seconds) || seconds < 1 || seconds > MAX_DELAY) {
    throw new Failure(`Error: delay_seconds must be between 1 and ${MAX_DELAY} (got ${seconds})`)
  }
  const repeats = parseRepeats(input.repeat_count ?? DEFAULT_REPEATS)
  return { message, repeats, delayMs: seconds * 1000, job: null, pattern: null }
}

function parseEventCallback(
  { delay_seconds, repeat_count, pattern }: SetCallbackInput,
  message: string,
  job: number,
): SetCallbackRequest {
  if (delay_seconds !== undefined) {
    throw new Failure('Error: give delay_seconds or task_id, not both: a callback waits for a time or for a job')
  }
  // A job ends only once.
  const repeats = pattern === undefined ? 1 : parseRepeats(repeat_count ?? 1)
  return { message, repeats, delayMs: 0, job, pattern: pattern ?? null }
}

function parseRepeats(count: number): number {
  if (Number.isInteger(count) && count >= -1 && count <= MAX_REPEATS) return count === 0 ? 1 : count
  throw new Failure(
    `Error: repeat_count must be -1 (endless), 0 or 1 (once), or a number up to ${MAX_REPEATS} (got ${count})`,
  )
}
