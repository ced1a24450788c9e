// Fires one callback inside a transaction: checks that it still exists, is due and belongs to a session leased by this
// process, inserts its message, and schedules the next time or removes the callback. So a time fires at most once across
// processes, and a killed process leaves no partial effect. Also formats the message. Called by callback-sync. Writes the
// database only; commands and webhooks are in side-effects.ts.

import type { ClockReading } from '../../process/clock.js'
import type { PendingMessage } from '../../sessions/message-table.js'
import { msUntilFire, scheduleNext } from './callback-schedule.js'
import type { CallbackRow, CallbackTables } from './callback-table.js'

/** A callback that repeats does not fire while so many messages of its user wait to be delivered. */
const MAX_PENDING_MESSAGES = 200

/** The job event that a callback waited for. */
export interface JobEvent {
  /** Short description. */
  readonly event: string
  /** Offset up to which the output was searched. */
  readonly position: number | null
  /** No further event of this kind can occur. */
  readonly isLast: boolean
}

export interface FiredCallback {
  readonly callback: CallbackRow
  readonly message: PendingMessage
  /** Remaining repeats; -1: unlimited. */
  readonly repeatsLeft: number
  readonly event: string
}

export interface FireOptions {
  readonly now: ClockReading
  /** This process, in the form stored in session leases. */
  readonly leaseOwner: string
  readonly jobEvent?: JobEvent | undefined
}

/** Undefined: not leased by this process, not due, or skipped because too many messages wait. */
export async function fireCallback(
  rows: CallbackTables,
  expected: CallbackRow,
  options: FireOptions,
): Promise<FiredCallback | undefined> {
  const { now, leaseOwner, jobEvent } = options
  const sessions = await rows.sessions.list()
  if (!sessions.some((held) => held.name === expected.session && held.owner === leaseOwner)) return undefined
  const callback = (await rows.callbacks.list()).find((row) => isSameCallback(row, expected))
  if (!callback || (jobEvent ? callback.fireAt !== null : msUntilFire(callback, now) > 0)) return undefined
  const { session } = callback
  const next = jobEvent?.isLast === true ? undefined : scheduleNext(callback, now)
  if (next) await rows.callbacks.upsert(jobEvent ? { ...next, position: jobEvent.position } : next)
  else await rows.callbacks.end(callback, now.wallMs)
  if (next && (await rows.messages.listPending()).length >= MAX_PENDING_MESSAGES) return undefined
  const repeatsLeft = next?.repeatsLeft ?? 0
  const event = jobEvent?.event ?? ''
  const text = formatFiredMessage(callback, repeatsLeft, new Date(now.wallMs), event)
  const message = await rows.messages.insert({ session, kind: 'callback', text, createdAt: now.wallMs })
  return { callback, message, repeatsLeft, event }
}

/** Not a newer callback in the same slot. */
function isSameCallback(row: CallbackRow, { session, slot, setAt, position }: CallbackRow): boolean {
  return row.session === session && row.slot === slot && row.setAt === setAt && row.position === position
}

/**
 * Slot, time, remaining repeats and event, followed by the message text. `repeatsLeft`: after firing; -1: unlimited.
 */
export function formatFiredMessage({ slot, message }: CallbackRow, repeatsLeft: number, at: Date, event = ''): string {
  const rest = repeatsLeft < 0 ? 'repeats until cancelled' : `${repeatsLeft} left`
  return `[Callback ${slot} fired at ${formatTime(at)}, ${rest}${event && `: ${event}`}] ${message}`
}

function formatTime(at: Date): string {
  const [hours, minutes, seconds] = [at.getHours(), at.getMinutes(), at.getSeconds()].map(twoDigits)
  return `${hours}:${minutes}:${seconds} (${formatUtcOffset(-at.getTimezoneOffset())})`
}

function formatUtcOffset(offset: number): string {
  if (offset === 0) return 'UTC'
  const minutes = Math.abs(offset) % 60
  const hours = Math.trunc(Math.abs(offset) / 60)
  return `UTC${offset < 0 ? '-' : '+'}${hours}${minutes === 0 ? '' : `:${twoDigits(minutes)}`}`
}

function twoDigits(part: number): string {
  return String(part).padStart(2, '0')
}
