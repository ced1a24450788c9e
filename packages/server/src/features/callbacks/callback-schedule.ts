// Computes fire times of callbacks: never early, and at most once per scheduled time, also across clock changes and
// suspends. Times count by uptime within one boot; after a reboot only the wall clock is left, and its value is clamped
// to the plausible range. Used by callback-service, callback-scheduler, fire-callback and session-takeover. Pure: the
// clock reading is an argument.

import type { ClockReading } from '../../process/clock.js'
import type { CallbackRow } from './callback-table.js'

/** Resolution of the uptime counter. */
const UPTIME_RESOLUTION_MS = 10

type FireTime = Pick<CallbackRow, 'fireAt' | 'fireUptime' | 'boot'>

export function fireTimeAfter(delayMs: number, { wallMs, uptimeMs, boot }: ClockReading): FireTime {
  return { fireAt: wallMs + delayMs, fireUptime: uptimeMs + delayMs + UPTIME_RESOLUTION_MS, boot }
}

/** Milliseconds until it fires; Infinity if it waits for an event. Valid for fire times of the current boot. */
export function msUntilFire({ fireUptime, boot }: FireTime, now: ClockReading): number {
  return fireUptime === null || boot !== now.boot ? Infinity : fireUptime - now.uptimeMs
}

/** Converts the fire time to the current boot; undefined if it already is. */
export function rebaseToCurrentBoot(row: CallbackRow, now: ClockReading): CallbackRow | undefined {
  if (row.fireAt === null || row.boot === now.boot) return undefined
  const remainingMs = Math.min(Math.max(row.fireAt - now.wallMs, 0), row.delayMs)
  return { ...row, ...fireTimeAfter(remainingMs, now) }
}

/** The callback after firing; undefined if no repeats are left. Missed times are not made up for. */
export function scheduleNext(row: CallbackRow, now: ClockReading): CallbackRow | undefined {
  if (row.repeatsLeft >= 0 && row.repeatsLeft <= 1) return undefined
  const repeatsLeft = row.repeatsLeft < 0 ? row.repeatsLeft : row.repeatsLeft - 1
  return { ...row, repeatsLeft, ...(row.fireAt === null ? {} : fireTimeAfter(row.delayMs, now)) }
}
