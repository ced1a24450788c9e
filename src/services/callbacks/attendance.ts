// The session leases of this process. Exactly one process fires the callbacks of a session and delivers its messages:
// the one that holds its lease. Leases are rows in the database, renewed every minute while the session has work and
// released when it has none.

import type { Clock, Moment } from '../../platform/clock.js'
import type { Rows } from '../../store/state/state.js'
import type { SessionRow } from '../../store/state/session-rows.js'

/** A lease expires after 15 minutes without renewal. Its owner stops acting on it after 10. */
const LEASE_TRUST_MS = 10 * 60 * 1000
/** How long delivered messages are kept. */
const KEEP_DELIVERED_MS = 7 * 24 * 60 * 60 * 1000

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
  /** Moves the work of dead sessions; returns the names of the sessions that could not be moved and are now leased. */
  readonly takeOver: (rows: Rows, request: TakingOver) => Promise<readonly string[]>
  readonly sessionsWithWork: (rows: Rows) => Promise<ReadonlySet<string>>
}

/** Owner and time of a lease. */
export interface LeaseStamp {
  readonly holder: string
  readonly moment: Moment
}

export interface TakingOver extends LeaseStamp {
  /** The live session; undefined if there is none yet. */
  readonly into: string | undefined
  readonly isGone: (session: SessionRow) => boolean
  /** Whether a session leased by this process has lost its client. */
  readonly isAbandoned: (name: string) => boolean
  /** Queues answers to questions of these sessions as messages. */
  readonly lateAnswers: LateAnswers
}

export type LateAnswers = (rows: Rows, sessions: ReadonlySet<string>) => Promise<void>

export function createAttendance(settings: AttendanceSettings): Attendance {
  const { clock, holder, isGone, lateAnswers, takeOver, sessionsWithWork } = settings
  /** Sessions by user, and whether each has a client. */
  const leased = new Map<string, Map<string, 'here' | 'abandoned'>>()
  const renewedAt = new Map<string, number>()
  const isAbandoned = (user: string, session: string): boolean => leased.get(user)?.get(session) === 'abandoned'

  function setLease(user: string, session: string, status: 'here' | 'abandoned'): void {
    const userSessions = leased.get(user) ?? new Map<string, 'here' | 'abandoned'>()
    leased.set(user, userSessions.set(session, status))
  }

  function dropLease(user: string, session: string): void {
    const userSessions = leased.get(user)
    userSessions?.delete(session)
    if (userSessions?.size === 0) leased.delete(user)
  }

  return {
    get users() {
      return [...leased.keys()]
    },
    isHeld: (user, session) => leased.get(user)?.has(session) ?? false,
    isAbandoned,
    async begin(user, session, rows) {
      const request: Omit<TakingOver, 'isAbandoned'> = { into: session, holder, moment: clock(), isGone, lateAnswers }
      const existing = (await rows.sessions.all()).find(({ name }) => name === session)
      // The session of a stateless user may be leased by another server, which then fires what is stored here.
      const isFree = existing === undefined || existing.holder === holder || isGone(existing)
      if (session !== undefined && isFree) await hold(rows, session, request)
      const unmoved = await takeOver(rows, { ...request, isAbandoned: (name) => isAbandoned(user, name) })
      await rows.messages.forget(request.moment.calendar - KEEP_DELIVERED_MS)
      return () => {
        if (session !== undefined && isFree) setLease(user, session, 'here')
        // The session of a stateless user is never abandoned.
        for (const name of unmoved) setLease(user, name, name === `user:${user}` ? 'here' : 'abandoned')
        renewedAt.set(user, request.moment.uptime)
      }
    },
    abandon(user, session) {
      if (leased.get(user)?.has(session)) setLease(user, session, 'abandoned')
    },
    compare(user, sessions) {
      const ours = new Set(sessions.filter((session) => session.holder === holder).map(({ name }) => name))
      for (const name of leased.get(user)?.keys() ?? []) if (!ours.has(name)) dropLease(user, name)
    },
    async renew(user, rows) {
      const now = clock()
      const withWork = await sessionsWithWork(rows)
      const idle: string[] = []
      for (const { name, holder: owner } of await rows.sessions.all()) {
        if (owner !== holder) continue
        if (withWork.has(name)) await hold(rows, name, { holder, moment: now })
        else await rows.sessions.release(name)
        if (!withWork.has(name)) idle.push(name)
      }
      return () => {
        renewedAt.set(user, now.uptime)
        for (const name of idle) dropLease(user, name)
      }
    },
    async release(user, rows) {
      for (const { name, holder: owner } of await rows.sessions.all()) {
        if (owner === holder) await rows.sessions.release(name)
      }
      leased.delete(user)
    },
    isTrusted: (user) => clock().uptime - (renewedAt.get(user) ?? -Infinity) < LEASE_TRUST_MS,
  }
}

export function hold(rows: Rows, name: string, { holder, moment }: LeaseStamp) {
  return rows.sessions.hold({ name, holder, renewedAt: moment.calendar })
}
