// Appends what was typed into a job to its record: one JSON object for each call, in a file in the job's folder. Called
// by user-jobs. Writes one file of bounded size.

import { appendFileSync, statSync } from 'node:fs'

const MAX_FILE_BYTES = 256 * 1024
const MAX_TEXT = 16_384

export interface TypedInput {
  /** The session that typed it, and when. */
  readonly session: string
  readonly at: number
  /** Bytes that the job had printed by then. */
  readonly offset: number
  readonly input?: string | undefined
  readonly keys?: readonly string[] | undefined
}

/** A failed write is ignored: the input has been typed. */
export function appendTyped(path: string, { input, keys, ...rest }: TypedInput): void {
  const clipped = input !== undefined && input.length > MAX_TEXT
  const text = clipped ? `${input.slice(0, MAX_TEXT)} … (${input.length} characters)` : input
  try {
    const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0
    const line = `${JSON.stringify({ ...rest, input: text, keys })}\n`
    if (size + line.length > MAX_FILE_BYTES) return
    appendFileSync(path, line, { mode: 0o600 })
  } catch {
    // The disk may be full.
  }
}
