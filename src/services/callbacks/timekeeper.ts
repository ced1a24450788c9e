// Decides what fires now, of everything this process holds: what is due, in sessions that are not busy, one for each
// session within a second. What is due while its session is busy waits five seconds, and then for the first moment in
// which it is not. It knows rows by hearsay; whoever fires looks again.

import type { Clock, Moment } from '../../platform/clock.js'
import type { CallbackRow } from '../../store/state/callback-rows.js'
import type { Happening } from './fire.js'
import { msLeft } from './schedule.js'

const TICK_MS = 1000
const BUSY_MS = 5000
/** After something could not be fired. */
const RETRY_MS = 5000

export interface Timekeeper {
  /** The callbacks of one user that are held here, all of them. */
  know(user: string, callbacks: readonly CallbackRow[]): void
  /** What this callback waited for has happened. */
  happened(user: string, callback: CallbackRow, happening: Happening): void
  /** Fires what can be fired; milliseconds until this should be done again, undefined: not before something changes. */
  tick(): Promise<number | undefined>
  /** Whether something waits for the end of a call. */
  readonly isHeldUp: boolean
  /** Milliseconds until it fires, as far as is known; Infinity where it waits for an event. */
  msLeft(user: string, callback: CallbackRow): number
}

export interface TimekeeperSettings {
  readonly clock: Clock
  readonly isBusy: (user: string, session: string) => boolean
  /** Fires it if it still is to be fired. */
  readonly fire: (user: string, callback: CallbackRow, happening: Happening | undefined) => Promise<void>
  readonly onError: (error: unknown) => void
}

export function createTimekeeper({ clock, isBusy, fire, onError }: TimekeeperSettings): Timekeeper {
  const known = new Map<string, readonly CallbackRow[]>()
  const happenings = new Map<string, Happening>()
  /** Until when what is due is held back, in uptime. */
  const heldBack = new Map<string, number>()
  const lastFired = new Map<string, number>()
  let isHeldUp = false

  function leftOf(user: string, callback: CallbackRow, moment: Moment): number {
    const key = keyOf(user, callback)
    const own = callback.fireAt === null ? (happenings.has(key) ? 0 : Infinity) : msLeft(callback, moment)
    if (own === Infinity) return own
    return Math.max(own, (heldBack.get(key) ?? -Infinity) - moment.uptime)
  }

  /** Milliseconds until anything of this session may be done; 0: now. */
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

  async function tickSession(user: string, session: string, callbacks: readonly CallbackRow[]): Promise<void> {
    const moment = clock()
    const due = callbacks.filter((callback) => leftOf(user, callback, moment) <= 0)
    if (due.length === 0 || pauseOf(user, session, moment) > 0) return
    if (isBusy(user, session)) {
      isHeldUp = true
      const until = moment.uptime + BUSY_MS
      for (const callback of due) {
        const key = keyOf(user, callback)
        if (!heldBack.has(key)) heldBack.set(key, until)
      }
      return
    }
    const [first] = due.toSorted((a, b) => overdueBy(b, moment) - overdueBy(a, moment))
    if (first) await fireOne(user, first)
  }

  function nextOf(user: string, callback: CallbackRow, moment: Moment): number {
    const left = leftOf(user, callback, moment)
    if (left > 0) return left
    // Busy, or a moment ago another one of its session has fired.
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
      // Whoever held it before us may have fired a moment ago.
      const before = new Set((known.get(user) ?? []).map(({ session }) => session))
      for (const { session } of callbacks) {
        if (!before.has(session)) lastFired.set(`${user}\0${session}`, clock().uptime)
      }
      if (callbacks.length === 0) known.delete(user)
      else known.set(user, callbacks)
      forget()
    },
    happened: (user, callback, happening) => void happenings.set(keyOf(user, callback), happening),
    get isHeldUp() {
      return isHeldUp
    },
    async tick() {
      isHeldUp = false
      for (const [user, callbacks] of known) {
        for (const session of new Set(callbacks.map((callback) => callback.session))) {
          await tickSession(
            user,
            session,
            callbacks.filter((callback) => callback.session === session),
          )
        }
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

/** One time of one callback: armed anew it is another. */
function keyOf(user: string, { session, slot, setAt, fireUptime, position }: CallbackRow): string {
  return [user, session, slot, setAt, fireUptime, position].join('\0')
}
