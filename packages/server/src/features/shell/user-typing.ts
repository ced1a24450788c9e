// Whether a person is typing in the terminal of a job. From the first key until the terminal is given back, the model's
// input is refused. Kept in memory, by the server that runs the job. Used by user-terminals, job-typing, type-into-job
// and job-service. Sets a timer for each terminal that a person types in.

import { Failure } from '@scorpiox/mcp/errors'
import type { Job } from './job.js'

/** Without a key for this long, a terminal whose line is ended goes back to the model. */
const IDLE_MS = 60_000

interface UserTyping {
  /** The last key ended or discarded a line; what follows is not appended to text of the person. */
  isLineEnded: boolean
  readonly timer: NodeJS.Timeout
}

const typing = new WeakMap<Job, UserTyping>()

export function isUserTyping(job: Job): boolean {
  return job.isRunning && typing.has(job)
}

/**
 * Notes that a person has typed. `onIdle` is called after a minute without a key. Returns whether the person has begun
 * with it.
 */
export function noteUserTyping(job: Job, text: string, onIdle: () => void): boolean {
  const known = typing.get(job)
  const isLineEnded = endsLine(text)
  if (known) {
    known.isLineEnded = isLineEnded
    known.timer.refresh()
    return false
  }
  typing.set(job, { isLineEnded, timer: setTimeout(onIdle, IDLE_MS).unref() })
  return true
}

/** Returns false if no person was typing. */
export function endUserTyping(job: Job): boolean {
  clearTimeout(typing.get(job)?.timer)
  return typing.delete(job)
}

/** Whether a person has left a line without an end, to which further input would be appended. */
export function hasUnfinishedLine(job: Job): boolean {
  return typing.get(job)?.isLineEnded === false
}

/** Enter, and the keys that discard a line: Ctrl+C, Ctrl+D, Ctrl+U, Ctrl+Z. */
// oxlint-disable-next-line no-control-regex -- keys are control characters
const LINE_END = /[\r\n\u0003\u0004\u0015\u001A]$/

function endsLine(text: string): boolean {
  return LINE_END.test(text)
}

/** Throws a Failure while a person types. `notDone` says what was not done. */
export function refuseWhileUserTypes(job: Job, notDone: string): void {
  if (!isUserTyping(job)) return
  throw new Failure(
    `The user is typing in this terminal. ${notDone} ReadBgOutput(task_id: ${job.id}) without input still reads it. ` +
      `Try again later: you can type when the user returns control, or ${IDLE_MS / 1000} s after the user's last finished line.`,
  )
}
