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
  happened(user: string, callback: CallbackRow, jobEvent: Happening): void
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
  readonly fire: (user: string, callback: CallbackRow, jobEvent: Happening | undefined) => Promise<void>
  readonly onError: (error: unknown) => void
}

export function createTimekeeper({ clock, isBusy, fire, onError }: TimekeeperSettings): Timekeeper {
  const callbacksByUser = new Map<string, readonly CallbackRow[]>()
  const events = new Map<string, Happening>()
  /** Uptime before which a failed callback is not retried. */
  const delayedUntil = new Map<string, number>()
  const lastFired = new Map<string, number>()
  let isWaiting = false

  function msUntilDue(user: string, callback: CallbackRow, now: Moment): number {
    const key = fireTimeKey(user, callback)
    const ownDelay = callback.fireAt === null ? (events.has(key) ? 0 : Infinity) : msLeft(callback, now)
    if (ownDelay === Infinity) return ownDelay
    return Math.max(ownDelay, (delayedUntil.get(key) ?? -Infinity) - now.uptime)
  }

  /** Milliseconds until this session may fire again; 0 or less: now. */
  function msUntilSessionReady(user: string, session: string, { uptime }: Moment): number {
    return (lastFired.get(`${user}\0${session}`) ?? -Infinity) + TICK_MS - uptime
  }

  async function fireOne(user: string, callback: CallbackRow): Promise<void> {
    const key = fireTimeKey(user, callback)
    try {
      lastFired.set(`${user}\0${callback.session}`, clock().uptime)
      await fire(user, callback, events.get(key))
      events.delete(key)
      delayedUntil.delete(key)
    } catch (error) {
      delayedUntil.set(key, clock().uptime + RETRY_MS)
      onError(error)
    }
  }

  /** Due callbacks of this session, the longest overdue first. */
  function dueCallbacks(user: string, session: string): readonly CallbackRow[] {
    const callbacks = (callbacksByUser.get(user) ?? []).filter((callback) => callback.session === session)
    // Reading the clock is a system call; skip it if there is nothing to compare.
    if (callbacks.length === 0) return callbacks
    const now = clock()
    return callbacks
      .filter((callback) => msUntilDue(user, callback, now) <= 0)
      .toSorted((a, b) => overdueBy(b, now) - overdueBy(a, now))
  }

  async function tickSession(user: string, session: string): Promise<void> {
    const [first] = dueCallbacks(user, session)
    if (!first || msUntilSessionReady(user, session, clock()) > 0) return
    if (isBusy(user, session)) isWaiting = true
    else await fireOne(user, first)
  }

  function msUntilNextCheck(user: string, callback: CallbackRow, now: Moment): number {
    const remaining = msUntilDue(user, callback, now)
    if (remaining > 0) return remaining
    // The session is busy, or another callback of it fired less than a second ago.
    return Math.max(msUntilSessionReady(user, callback.session, now), isBusy(user, callback.session) ? TICK_MS : 1)
  }

  function prune(): void {
    const keys = new Set([...callbacksByUser].flatMap(([user, rows]) => rows.map((row) => fireTimeKey(user, row))))
    for (const map of [events, delayedUntil]) for (const key of map.keys()) if (!keys.has(key)) map.delete(key)
    const { uptime } = clock()
    for (const [key, at] of lastFired) if (uptime - at > TICK_MS) lastFired.delete(key)
  }

  return {
    know(user, callbacks) {
      // The previous owner may have fired a moment ago.
      const before = new Set((callbacksByUser.get(user) ?? []).map(({ session }) => session))
      for (const { session } of callbacks) {
        if (!before.has(session)) lastFired.set(`${user}\0${session}`, clock().uptime)
      }
      if (callbacks.length === 0) callbacksByUser.delete(user)
      else callbacksByUser.set(user, callbacks)
      prune()
    },
    happened: (user, callback, jobEvent) => void events.set(fireTimeKey(user, callback), jobEvent),
    isDue: (user, session) => dueCallbacks(user, session).length > 0,
    async fireDue(user, session) {
      for (const callback of dueCallbacks(user, session)) await fireOne(user, callback)
    },
    get isHeldUp() {
      return isWaiting
    },
    async tick() {
      isWaiting = false
      for (const [user, callbacks] of callbacksByUser) {
        for (const session of new Set(callbacks.map((callback) => callback.session))) await tickSession(user, session)
      }
      const now = clock()
      const next = Math.min(
        ...[...callbacksByUser].flatMap(([user, rows]) => rows.map((row) => msUntilNextCheck(user, row, now))),
      )
      return next === Infinity ? undefined : next
    },
    msLeft: (user, callback) => msUntilDue(user, callback, clock()),
  }
}

function overdueBy(callback: CallbackRow, now: Moment): number {
  return callback.fireAt === null ? 0 : -Math.min(msLeft(callback, now), 0)
}

/** Identifies one scheduled time of one callback. */
function fireTimeKey(user: string, { session, slot, setAt, fireUptime, position }: CallbackRow): string {
  return [user, session, slot, setAt, fireUptime, position].join('\0')
}
