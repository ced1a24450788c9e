// Decides which callbacks fire now. An idle session fires one callback per second. While a call runs, nothing fires;
// callbacks that fall due fire when a result is about to be written or when the session is idle. The rows are those of
// the last read and may be stale; fireCallback checks them again in its transaction.

import type { Clock, Moment } from '../../platform/clock.js'
import type { CallbackRow } from '../../store/state/callback-rows.js'
import type { Happening } from './fire.js'
import { msLeft } from './schedule.js'

const TICK_MS = 1000
/** Delay after a failed attempt to fire. */
const RETRY_MS = 5000

export interface Timekeeper {
  /** Replaces the callbacks of one user, in the sessions leased by this process. */
  know(user: string, callbacks: readonly CallbackRow[]): void
  /** The event this callback waited for occurred. */
  happened(user: string, callback: CallbackRow, happening: Happening): void
  /** Whether a callback of this session is due. */
  isDue(user: string, session: string): boolean
  /** Fires all due callbacks of this session, so that the result of the call includes them. */
  fireDue(user: string, session: string): Promise<void>
  /** Fires what can fire; returns the milliseconds until the next tick, or undefined if only a change requires one. */
  tick(): Promise<number | undefined>
  /** Whether a due callback waits for the end of a call. */
  readonly isHeldUp: boolean
  /** Milliseconds until it fires; Infinity if it waits for an event. */
  msLeft(user: string, callback: CallbackRow): number
}

export interface TimekeeperSettings {
  readonly clock: Clock
  readonly isBusy: (user: string, session: string) => boolean
  /** Fires it if it is still due. */
  readonly fire: (user: string, callback: CallbackRow, happening: Happening | undefined) => Promise<void>
  readonly onError: (error: unknown) => void
}

export function createTimekeeper({ clock, isBusy, fire, onError }: TimekeeperSettings): Timekeeper {
  const known = new Map<string, readonly CallbackRow[]>()
  const happenings = new Map<string, Happening>()
  /** Uptime before which a failed callback is not retried. */
  const heldBack = new Map<string, number>()
  const lastFired = new Map<string, number>()
  let isHeldUp = false

  function leftOf(user: string, callback: CallbackRow, moment: Moment): number {
    const key = keyOf(user, callback)
    const own = callback.fireAt === null ? (happenings.has(key) ? 0 : Infinity) : msLeft(callback, moment)
    if (own === Infinity) return own
    return Math.max(own, (heldBack.get(key) ?? -Infinity) - moment.uptime)
  }

  /** Milliseconds until this session may fire again; 0 or less: now. */
  function pauseOf(user: string, session: string, { uptime }: Moment): number {
    return (lastFired.get(`${user}\0${session}`) ?? -Infinity) + TICK_MS - uptime
  }

  async function fireOne(user: string, callback: CallbackRow): Promise<void> {
    const key = keyOf(user, callback)
    try {
      lastFired.set(`${user}\0${callback.session}`, clock().uptime)
      await fire(user, callback, happenings.get(key))
      happenings.delete(key)
      heldBack.delete(key)
    } catch (error) {
      heldBack.set(key, clock().uptime + RETRY_MS)
      onError(error)
    }
  }

  /** Due callbacks of this session, the longest overdue first. */
  function dueIn(user: string, session: string): readonly CallbackRow[] {
    const callbacks = (known.get(user) ?? []).filter((callback) => callback.session === session)
    // Reading the clock is a system call; skip it if there is nothing to compare.
    if (callbacks.length === 0) return callbacks
    const moment = clock()
    return callbacks
      .filter((callback) => leftOf(user, callback, moment) <= 0)
      .toSorted((a, b) => overdueBy(b, moment) - overdueBy(a, moment))
  }

  async function tickSession(user: string, session: string): Promise<void> {
    const [first] = dueIn(user, session)
    if (!first || pauseOf(user, session, clock()) > 0) return
    if (isBusy(user, session)) isHeldUp = true
    else await fireOne(user, first)
  }

  function nextOf(user: string, callback: CallbackRow, moment: Moment): number {
    const left = leftOf(user, callback, moment)
    if (left > 0) return left
    // The session is busy, or another callback of it fired less than a second ago.
    return Math.max(pauseOf(user, callback.session, moment), isBusy(user, callback.session) ? TICK_MS : 1)
  }

  function forget(): void {
    const keys = new Set([...known].flatMap(([user, rows]) => rows.map((row) => keyOf(user, row))))
    for (const map of [happenings, heldBack]) for (const key of map.keys()) if (!keys.has(key)) map.delete(key)
    const { uptime } = clock()
    for (const [key, at] of lastFired) if (uptime - at > TICK_MS) lastFired.delete(key)
  }

  return {
    know(user, callbacks) {
      // The previous owner may have fired a moment ago.
      const before = new Set((known.get(user) ?? []).map(({ session }) => session))
      for (const { session } of callbacks) {
        if (!before.has(session)) lastFired.set(`${user}\0${session}`, clock().uptime)
      }
      if (callbacks.length === 0) known.delete(user)
      else known.set(user, callbacks)
      forget()
    },
    happened: (user, callback, happening) => void happenings.set(keyOf(user, callback), happening),
    isDue: (user, session) => dueIn(user, session).length > 0,
    async fireDue(user, session) {
      for (const callback of dueIn(user, session)) await fireOne(user, callback)
    },
    get isHeldUp() {
      return isHeldUp
    },
    async tick() {
      isHeldUp = false
      for (const [user, callbacks] of known) {
        for (const session of new Set(callbacks.map((callback) => callback.session))) await tickSession(user, session)
      }
      const moment = clock()
      const next = Math.min(...[...known].flatMap(([user, rows]) => rows.map((row) => nextOf(user, row, moment))))
      return next === Infinity ? undefined : next
    },
    msLeft: (user, callback) => leftOf(user, callback, clock()),
  }
}

function overdueBy(callback: CallbackRow, moment: Moment): number {
  return callback.fireAt === null ? 0 : -Math.min(msLeft(callback, moment), 0)
}

/** Identifies one scheduled time of one callback. */
function keyOf(user: string, { session, slot, setAt, fireUptime, position }: CallbackRow): string {
  return [user, session, slot, setAt, fireUptime, position].join('\0')
}
