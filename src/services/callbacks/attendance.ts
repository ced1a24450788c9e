// The session leases of this process. Exactly one process fires the callbacks of a session and delivers its messages:
// the one that holds its lease. Leases are rows in the database, renewed every minute while the session has work and
// released when it has none.

import type { Clock } from '../../platform/clock.js'
import type { Rows } from '../../store/state/state.js'
import type { SessionRow } from '../../store/state/session-rows.js'
import { hold, ownersOf, takeOver, type LateAnswers } from './take-over.js'

/** A lease expires after 15 minutes without renewal. Its owner stops acting on it after 10. */
const TRUST_MS = 10 * 60 * 1000
/** How long delivered messages are kept. */
const KEPT_MS = 7 * 24 * 60 * 60 * 1000

export interface Attendance {
  readonly users: readonly string[]
  isHeld(user: string, session: string): boolean
  /** Leased, but its client is gone. */
  isAbandoned(user: string, session: string): boolean
  /** Claims the lease of the session, if given, and takes over work of dead sessions. Call inside a transaction. */
  begin(user: string, session: string | undefined, rows: Rows): Promise<Begun>
  abandon(user: string, session: string): void
  /** Drops the leases that the database no longer assigns to this process. */
  compare(user: string, sessions: readonly SessionRow[]): void
  /**
   * Renews the leases of sessions with work and releases the others. Call inside a transaction; call the result after
   * commit.
   */
  renew(user: string, rows: Rows): Promise<() => void>
  /** Releases all leases. Call inside a transaction. */
  release(user: string, rows: Rows): Promise<void>
  /** Whether the leases were renewed recently enough to act on them. */
  isTrusted(user: string): boolean
}

/** To be called after the transaction committed. */
export type Begun = () => void

export interface AttendanceSettings {
  readonly clock: Clock
  readonly holder: string
  readonly isGone: (session: SessionRow) => boolean
  readonly lateAnswers: LateAnswers
}

export function createAttendance({ clock, holder, isGone, lateAnswers }: AttendanceSettings): Attendance {
  /** Sessions by user, and whether each has a client. */
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
      // The session of a stateless user may be leased by another server, which then fires what is stored here.
      const isFree = before === undefined || before.holder === holder || isGone(before)
      if (session !== undefined && isFree) await hold(rows, session, terms)
      const kept = await takeOver(rows, { ...terms, isAbandoned: (name) => isAbandoned(user, name) })
      await rows.messages.forget(terms.moment.calendar - KEPT_MS)
      return () => {
        if (session !== undefined && isFree) note(user, session, 'here')
        // The session of a stateless user is never abandoned.
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
