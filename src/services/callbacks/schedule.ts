// When a callback fires, as arithmetic: never early, and never more than once for one time, however the calendar jumps
// and the machine sleeps. A time counts by uptime while the machine has not been started anew; after that only the
// calendar is left, and what it says is believed within what can be true.

import type { Moment } from '../../platform/clock.js'
import type { CallbackRow } from '../../store/state/callback-rows.js'

/** The count of uptime is told in steps of that. */
const GRAIN_MS = 10

type Armed = Pick<CallbackRow, 'fireAt' | 'fireUptime' | 'boot'>

export function armedFor(delayMs: number, { calendar, uptime, boot }: Moment): Armed {
  return { fireAt: calendar + delayMs, fireUptime: uptime + delayMs + GRAIN_MS, boot }
}

/** Milliseconds until it fires; Infinity where it waits for an event. Good for one that was armed or rebased in this boot. */
export function msLeft({ fireUptime, boot }: Armed, moment: Moment): number {
  return fireUptime === null || boot !== moment.boot ? Infinity : fireUptime - moment.uptime
}

/** The same callback by the count of this boot; undefined: it is that already. */
export function rebased(row: CallbackRow, moment: Moment): CallbackRow | undefined {
  if (row.fireAt === null || row.boot === moment.boot) return undefined
  const left = Math.min(Math.max(row.fireAt - moment.calendar, 0), row.delayMs)
  return { ...row, ...armedFor(left, moment) }
}

/** What is left of it when it has fired; undefined: nothing. Whatever was missed meanwhile is not made up for. */
export function afterFiring(row: CallbackRow, moment: Moment): CallbackRow | undefined {
  if (row.repeatsLeft >= 0 && row.repeatsLeft <= 1) return undefined
  const repeatsLeft = row.repeatsLeft < 0 ? row.repeatsLeft : row.repeatsLeft - 1
  return { ...row, repeatsLeft, ...(row.fireAt === null ? {} : armedFor(row.delayMs, moment)) }
}
