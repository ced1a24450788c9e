// Decides which callbacks of the sessions of this process fire now (createCallbackScheduler); createWakeTimer is the timer
// that runs this decision. An idle session fires one callback per second. While a call runs, nothing fires; callbacks that
// fall due fire when a result is about to be written or when the session is idle. Used by callback-sync. Holds rows in
// memory and sets timers; the database is changed only by the given function `fire`.

import type { Clock, ClockReading } from '../../process/clock.js'
import { msUntilFire } from './callback-schedule.js'
import type { CallbackRow } from './callback-table.js'
import type { JobEvent } from './fire-callback.js'

const TICK_MS = 1000
/** Delay after a failed attempt to fire. */
const RETRY_MS = 5000

export interface CallbackScheduler {
  /** Replaces the callbacks of one user, in the sessions leased by this process. */
  setCallbacks(user: string, callbacks: readonly CallbackRow[]): void
  /** The event this callback waited for occurred. */
  eventOccurred(user: string, callback: CallbackRow, jobEvent: JobEvent): void
  /** Whether a callback of this session is due. */
  isDue(user: string, session: string): boolean
  /** Fires all due callbacks of this session, so that the result of the call includes them. */
  fireDue(user: string, session: string): Promise<void>
  /** Fires what can fire; returns the milliseconds until the next tick, or undefined if only a change requires one. */
  tick(): Promise<number | undefined>
  /** Whether a due callback waits for the end of a call. */
  readonly isWaitingForIdleSession: boolean
  /** Milliseconds until it fires; Infinity if it waits for an event. */
  msUntilFire(user: string, callback: CallbackRow): number
}

export interface CallbackSchedulerDeps {
  readonly clock: Clock
  readonly isBusy: (user: string, session: string) => boolean
  /** Fires it if it is still due. */
  readonly fire: (user: string, callback: CallbackRow, jobEvent: JobEvent | undefined) => Promise<void>
  readonly onError: (error: unknown) => void
}

/** The rows are those of the last read and may be stale; fireCallback checks them again in its transaction. */
export function createCallbackScheduler({ clock, isBusy, fire, onError }: CallbackSchedulerDeps): CallbackScheduler {
  const callbacksByUser = new Map<string, readonly CallbackRow[]>()
  const events = new Map<string, JobEvent>()
  /** Uptime before which a failed callback is not retried. */
  const delayedUntil = new Map<string, number>()
  const lastFired = new Map<string, number>()
  let isWaiting = false

  function msUntilDue(user: string, callback: CallbackRow, now: ClockReading): number {
    const key = fireTimeKey(user, callback)
    const ownDelay = callback.fireAt === null ? (events.has(key) ? 0 : Infinity) : msUntilFire(callback, now)
    if (ownDelay === Infinity) return ownDelay
    return Math.max(ownDelay, (delayedUntil.get(key) ?? -Infinity) - now.uptimeMs)
  }

  /** Milliseconds until this session may fire again; 0 or less: now. */
  function msUntilSessionReady(user: string, session: string, { uptimeMs }: ClockReading): number {
    return (lastFired.get(`${user}\0${session}`) ?? -Infinity) + TICK_MS - uptimeMs
  }

  async function fireOne(user: string, callback: CallbackRow): Promise<void> {
    const key = fireTimeKey(user, callback)
    try {
      lastFired.set(`${user}\0${callback.session}`, clock().uptimeMs)
      await fire(user, callback, events.get(key))
      events.delete(key)
      delayedUntil.delete(key)
    } catch (error) {
      delayedUntil.set(key, clock().uptimeMs + RETRY_MS)
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

  function msUntilNextCheck(user: string, callback: CallbackRow, now: ClockReading): number {
    const remaining = msUntilDue(user, callback, now)
    if (remaining > 0) return remaining
    // The session is busy, or another callback of it fired less than a second ago.
    return Math.max(msUntilSessionReady(user, callback.session, now), isBusy(user, callback.session) ? TICK_MS : 1)
  }

  function prune(): void {
    const keys = new Set([...callbacksByUser].flatMap(([user, rows]) => rows.map((row) => fireTimeKey(user, row))))
    for (const map of [events, delayedUntil]) for (const key of map.keys()) if (!keys.has(key)) map.delete(key)
    const { uptimeMs } = clock()
    for (const [key, at] of lastFired) if (uptimeMs - at > TICK_MS) lastFired.delete(key)
  }

  return {
    setCallbacks(user, callbacks) {
      // The previous owner may have fired a moment ago.
      const before = new Set((callbacksByUser.get(user) ?? []).map(({ session }) => session))
      for (const { session } of callbacks) {
        if (!before.has(session)) lastFired.set(`${user}\0${session}`, clock().uptimeMs)
      }
      if (callbacks.length === 0) callbacksByUser.delete(user)
      else callbacksByUser.set(user, callbacks)
      prune()
    },
    eventOccurred: (user, callback, jobEvent) => void events.set(fireTimeKey(user, callback), jobEvent),
    isDue: (user, session) => dueCallbacks(user, session).length > 0,
    async fireDue(user, session) {
      for (const callback of dueCallbacks(user, session)) await fireOne(user, callback)
    },
    get isWaitingForIdleSession() {
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
    msUntilFire: (user, callback) => msUntilDue(user, callback, clock()),
  }
}

function overdueBy(callback: CallbackRow, now: ClockReading): number {
  return callback.fireAt === null ? 0 : -Math.min(msUntilFire(callback, now), 0)
}

/** Identifies one scheduled time of one callback. */
function fireTimeKey(user: string, { session, slot, setAt, fireUptime, position }: CallbackRow): string {
  return [user, session, slot, setAt, fireUptime, position].join('\0')
}

const MAX_SLEEP_MS = 2000
/** A shorter delay would be a busy loop. */
const MIN_DELAY_MS = 5

export interface WakeTimer {
  /** Runs the function now, because something changed. */
  wake(): void
  /** Resolves when the function has finished. */
  close(): Promise<void>
}

/**
 * Timer that calls a function and asks it how long to sleep next. It sleeps in steps of at most 2 s, so that after a
 * suspend little time is lost and no delay exceeds the timer limit. It does not keep the process alive. `work` must not
 * throw; it returns the milliseconds until its next call, or undefined.
 */
export function createWakeTimer(work: () => Promise<number | undefined>): WakeTimer {
  let timer: NodeJS.Timeout | undefined
  let working: Promise<void> | undefined
  let wakeAgain = false
  let isClosed = false

  function wake(): void {
    clearTimeout(timer)
    if (isClosed) return
    if (working) wakeAgain = true
    else working = run().finally(() => (working = undefined))
  }

  async function run(): Promise<void> {
    wakeAgain = false
    const delayMs = await work()
    // Woken meanwhile: the result may be outdated.
    const next = wakeAgain ? MIN_DELAY_MS : delayMs
    if (next === undefined || isClosed) return
    timer = setTimeout(wake, Math.min(Math.max(next, MIN_DELAY_MS), MAX_SLEEP_MS)).unref()
  }

  return {
    wake,
    async close() {
      isClosed = true
      clearTimeout(timer)
      await working
    },
  }
}
