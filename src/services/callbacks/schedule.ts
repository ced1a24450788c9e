// Computes fire times: never early, and at most once per scheduled time, also across clock changes and suspends. Times
// count by uptime within one boot; after a reboot only the wall clock is left, and its value is clamped to the
// plausible range.

import type { Moment } from '../../platform/clock.js'
import type { CallbackRow } from '../../store/state/callback-rows.js'

/** Resolution of the uptime counter. */
const GRAIN_MS = 10

type Armed = Pick<CallbackRow, 'fireAt' | 'fireUptime' | 'boot'>

export function armedFor(delayMs: number, { calendar, uptime, boot }: Moment): Armed {
  return { fireAt: calendar + delayMs, fireUptime: uptime + delayMs + GRAIN_MS, boot }
}

/** Milliseconds until it fires; Infinity if it waits for an event. Valid for fire times of the current boot. */
export function msLeft({ fireUptime, boot }: Armed, moment: Moment): number {
  return fireUptime === null || boot !== moment.boot ? Infinity : fireUptime - moment.uptime
}

/** Converts the fire time to the current boot; undefined if it already is. */
export function rebased(row: CallbackRow, moment: Moment): CallbackRow | undefined {
  if (row.fireAt === null || row.boot === moment.boot) return undefined
  const left = Math.min(Math.max(row.fireAt - moment.calendar, 0), row.delayMs)
  return { ...row, ...armedFor(left, moment) }
}

/** The callback after firing; undefined if no repeats are left. Missed times are not made up for. */
export function afterFiring(row: CallbackRow, moment: Moment): CallbackRow | undefined {
  if (row.repeatsLeft >= 0 && row.repeatsLeft <= 1) return undefined
  const repeatsLeft = row.repeatsLeft < 0 ? row.repeatsLeft : row.repeatsLeft - 1
  return { ...row, repeatsLeft, ...(row.fireAt === null ? {} : armedFor(row.delayMs, moment)) }
}
