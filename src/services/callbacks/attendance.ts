// The sessions this process holds, so that exactly one process fires what is theirs and tells them what waits. Each is
// held in the state too, renewed every minute while it has something, and given back when it has nothing.

import type { Clock } from '../../platform/clock.js'
import type { Rows } from '../../store/state/state.js'
import type { SessionRow } from '../../store/state/session-rows.js'
import { hold, ownersOf, takeOver, type LateAnswers } from './take-over.js'

/** Others give up who has been silent for a quarter of an hour; before that we no longer trust ourselves. */
const TRUST_MS = 10 * 60 * 1000
/** For how long it is remembered what was delivered. */
const KEPT_MS = 7 * 24 * 60 * 60 * 1000

export interface Attendance {
  readonly users: readonly string[]
  isHeld(user: string, session: string): boolean
  /** Held, and without a client. */
  isAbandoned(user: string, session: string): boolean
  /** Takes over what is left behind, into this session if there is one, and holds it. Within a transaction. */
  begin(user: string, session: string | undefined, rows: Rows): Promise<Begun>
  abandon(user: string, session: string): void
  /** Only those that the state says are ours. */
  compare(user: string, sessions: readonly SessionRow[]): void
  /** Says that we are still there; gives back what has nothing left. Within a transaction. */
  renew(user: string, rows: Rows): Promise<() => void>
  /** Gives all back. Within a transaction. */
  release(user: string, rows: Rows): Promise<void>
  /** Whether nobody can have taken us for gone. */
  isTrusted(user: string): boolean
}

/** To be called once the transaction has been kept. */
export type Begun = () => void

export interface AttendanceSettings {
  readonly clock: Clock
  readonly holder: string
  readonly isGone: (session: SessionRow) => boolean
  readonly lateAnswers: LateAnswers
}

export function createAttendance({ clock, holder, isGone, lateAnswers }: AttendanceSettings): Attendance {
  /** For each user their sessions, and whether each has a client. */
  const held = new Map<string, Map<string, 'here' | 'abandoned'>>()
  const renewedAt = new Map<string, number>()
  const isAbandoned = (user: string, session: string): boolean => held.get(user)?.get(session) === 'abandoned'

  function note(user: string, session: string, how: 'here' | 'abandoned'): void {
    const theirs = held.get(user) ?? new Map<string, 'here' | 'abandoned'>()
    held.set(user, theirs.set(session, how))
  }

  function drop(user: string, session: string): void {
    const theirs = held.get(user)
    theirs?.delete(session)
    if (theirs?.size === 0) held.delete(user)
  }

  return {
    get users() {
      return [...held.keys()]
    },
    isHeld: (user, session) => held.get(user)?.has(session) ?? false,
    isAbandoned,
    async begin(user, session, rows) {
      const terms = { into: session, holder, moment: clock(), isGone, lateAnswers }
      const before = (await rows.sessions.all()).find(({ name }) => name === session)
      // One that belongs to a user may be held by another server, which then fires what we put there.
      const isFree = before === undefined || before.holder === holder || isGone(before)
      if (session !== undefined && isFree) await hold(rows, session, terms)
      const kept = await takeOver(rows, { ...terms, isAbandoned: (name) => isAbandoned(user, name) })
      await rows.messages.forget(terms.moment.calendar - KEPT_MS)
      return () => {
        if (session !== undefined && isFree) note(user, session, 'here')
        // What belongs to the user is never without one.
        for (const name of kept) note(user, name, name === `user:${user}` ? 'here' : 'abandoned')
        renewedAt.set(user, terms.moment.uptime)
      }
    },
    abandon(user, session) {
      if (held.get(user)?.has(session)) note(user, session, 'abandoned')
    },
    compare(user, sessions) {
      const ours = new Set(sessions.filter((session) => session.holder === holder).map(({ name }) => name))
      for (const name of held.get(user)?.keys() ?? []) if (!ours.has(name)) drop(user, name)
    },
    async renew(user, rows) {
      const moment = clock()
      const owners = await ownersOf(rows)
      const idle: string[] = []
      for (const { name, holder: whose } of await rows.sessions.all()) {
        if (whose !== holder) continue
        if (owners.has(name)) await hold(rows, name, { holder, moment })
        else await rows.sessions.release(name)
        if (!owners.has(name)) idle.push(name)
      }
      return () => {
        renewedAt.set(user, moment.uptime)
        for (const name of idle) drop(user, name)
      }
    },
    async release(user, rows) {
      for (const { name, holder: whose } of await rows.sessions.all()) {
        if (whose === holder) await rows.sessions.release(name)
      }
      held.delete(user)
    },
    isTrusted: (user) => clock().uptime - (renewedAt.get(user) ?? -Infinity) < TRUST_MS,
  }
}
