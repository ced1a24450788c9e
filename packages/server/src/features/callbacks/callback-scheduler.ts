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

/** What is known of the callbacks of one user. */
interface UserSchedule {
  callbacks: readonly CallbackRow[]
  /** By time of a callback: the event that it waited for, and the uptime before which it is not tried again. */
  readonly events: Map<string, JobEvent>
  readonly delayedUntil: Map<string, number>
  /** By session. */
  readonly lastFired: Map<string, number>
  /** Uptime before which nothing can fire, unless something changes. */
  checkAt: number
  /** A due callback waits for the end of a call. */
  isWaiting: boolean
}

/** The rows are those of the last read and may be stale; fireCallback checks them again in its transaction. */
export function createCallbackScheduler({ clock, isBusy, fire, onError }: CallbackSchedulerDeps): CallbackScheduler {
  const schedules = new Map<string, UserSchedule>()
  let isWaiting = false

  async function fireOne(user: string, schedule: UserSchedule, callback: CallbackRow): Promise<void> {
    const key = fireTimeKey(callback)
    try {
      schedule.lastFired.set(callback.session, clock().uptimeMs)
      await fire(user, callback, schedule.events.get(key))
      schedule.events.delete(key)
      schedule.delayedUntil.delete(key)
    } catch (error) {
      schedule.delayedUntil.set(key, clock().uptimeMs + RETRY_MS)
      onError(error)
    }
    schedule.checkAt = -Infinity
  }

  /** Due callbacks of this session, the longest overdue first. */
  function dueCallbacks(schedule: UserSchedule | undefined, session: string): readonly CallbackRow[] {
    const callbacks = (schedule?.callbacks ?? []).filter((callback) => callback.session === session)
    // Reading the clock is a system call; skip it if there is nothing to compare.
    if (!schedule || callbacks.length === 0) return callbacks
    const now = clock()
    return callbacks
      .filter((callback) => msUntilDue(schedule, callback, now) <= 0)
      .toSorted((a, b) => overdueBy(b, now) - overdueBy(a, now))
  }

  async function tickUser(user: string, schedule: UserSchedule): Promise<void> {
    schedule.isWaiting = false
    for (const session of new Set(schedule.callbacks.map((callback) => callback.session))) {
      const [first] = dueCallbacks(schedule, session)
      if (!first || msUntilSessionReady(schedule, session, clock()) > 0) continue
      if (isBusy(user, session)) schedule.isWaiting = true
      else await fireOne(user, schedule, first)
    }
    isWaiting ||= schedule.isWaiting
    const now = clock()
    const waits = schedule.callbacks.map((callback) => msUntilNextCheck(user, schedule, callback, now))
    schedule.checkAt = now.uptimeMs + Math.min(...waits)
  }

  function msUntilNextCheck(user: string, schedule: UserSchedule, callback: CallbackRow, now: ClockReading): number {
    const remaining = msUntilDue(schedule, callback, now)
    if (remaining > 0) return remaining
    // The session is busy, or another callback of it fired less than a second ago.
    const untilReady = msUntilSessionReady(schedule, callback.session, now)
    return Math.max(untilReady, isBusy(user, callback.session) ? TICK_MS : 1)
  }

  return {
    setCallbacks(user, callbacks) {
      if (callbacks.length === 0) {
        schedules.delete(user)
        return
      }
      const schedule = schedules.get(user) ?? createSchedule()
      schedules.set(user, schedule)
      // The previous owner may have fired a moment ago.
      const before = new Set(schedule.callbacks.map(({ session }) => session))
      const { uptimeMs } = clock()
      for (const { session } of callbacks) if (!before.has(session)) schedule.lastFired.set(session, uptimeMs)
      schedule.callbacks = callbacks
      schedule.checkAt = -Infinity
      removePastTimes(schedule, uptimeMs)
    },
    eventOccurred(user, callback, jobEvent) {
      const schedule = schedules.get(user)
      if (!schedule) return
      schedule.events.set(fireTimeKey(callback), jobEvent)
      schedule.checkAt = -Infinity
    },
    isDue: (user, session) => dueCallbacks(schedules.get(user), session).length > 0,
    async fireDue(user, session) {
      const schedule = schedules.get(user)
      if (!schedule) return
      for (const callback of dueCallbacks(schedule, session)) await fireOne(user, schedule, callback)
    },
    get isWaitingForIdleSession() {
      return isWaiting
    },
    async tick() {
      isWaiting = false
      const { uptimeMs } = clock()
      for (const [user, schedule] of schedules)
        if (schedule.isWaiting || schedule.checkAt <= uptimeMs) await tickUser(user, schedule)
      let next = Infinity
      for (const { checkAt } of schedules.values()) next = Math.min(next, checkAt)
      return next === Infinity ? undefined : next - clock().uptimeMs
    },
    msUntilFire(user, callback) {
      const now = clock()
      const schedule = schedules.get(user)
      return schedule ? msUntilDue(schedule, callback, now) : msUntilFire(callback, now)
    },
  }
}

function createSchedule(): UserSchedule {
  return {
    callbacks: [],
    events: new Map(),
    delayedUntil: new Map(),
    lastFired: new Map(),
    checkAt: -Infinity,
    isWaiting: false,
  }
}

function removePastTimes({ callbacks, events, delayedUntil, lastFired }: UserSchedule, uptimeMs: number): void {
  for (const [session, at] of lastFired) if (uptimeMs - at > TICK_MS) lastFired.delete(session)
  const keys = new Set(callbacks.map(fireTimeKey))
  for (const map of [events, delayedUntil]) for (const key of map.keys()) if (!keys.has(key)) map.delete(key)
}

function msUntilDue({ events, delayedUntil }: UserSchedule, callback: CallbackRow, now: ClockReading): number {
  const key = fireTimeKey(callback)
  const ownDelay = callback.fireAt === null ? (events.has(key) ? 0 : Infinity) : msUntilFire(callback, now)
  if (ownDelay === Infinity) return ownDelay
  return Math.max(ownDelay, (delayedUntil.get(key) ?? -Infinity) - now.uptimeMs)
}

/** Milliseconds until this session may fire again; 0 or less: now. */
function msUntilSessionReady({ lastFired }: UserSchedule, session: string, { uptimeMs }: ClockReading): number {
  return (lastFired.get(session) ?? -Infinity) + TICK_MS - uptimeMs
}

function overdueBy(callback: CallbackRow, now: ClockReading): number {
  return callback.fireAt === null ? 0 : -Math.min(msUntilFire(callback, now), 0)
}

/** Identifies one scheduled time of one callback of a user. */
function fireTimeKey({ session, slot, setAt, fireUptime, position }: CallbackRow): string {
  return [session, slot, setAt, fireUptime, position].join('\0')
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
