// The session leases of this process, and their SQL table. Exactly one process fires the callbacks of a session and
// delivers its messages: the one that holds its lease. Leases are rows in the database, renewed every minute while the
// session has work and released when it has none. The next session of the same user and project takes over one whose
// process is dead. Used by callbacks and message-delivery. Reads and writes the database.

import { statelessCaller } from '@scorpiox/mcp/definitions/caller'
import { tryParseJson } from '@scorpiox/mcp/json/json'
import type { Clock, ClockReading } from '../process/clock.js'
import { currentProcessLocation, isProcessLocation } from '../process/process-identity.js'
import { numberColumn, type Sql, textColumn } from '../storage/database.js'
import { isPresumedDead } from '../storage/server-registry.js'
import { toStorableText } from '../text/normalize-text.js'
import type { MessageTable } from './message-table.js'

/** A lease expires after 15 minutes without renewal. Its owner stops acting on it after 10. */
const LEASE_TRUST_MS = 10 * 60 * 1000
/** How long delivered messages are kept. */
const KEEP_DELIVERED_MS = 7 * 24 * 60 * 60 * 1000
const MAX_CLOSED = 1000

/** `R` are the tables that the takeover needs. */
interface SessionLeases<R extends SessionTables> {
  readonly users: readonly string[]
  hasUser(user: string): boolean
  isLeased(user: string, session: string): boolean
  /** Leased, but its client is gone. */
  isAbandoned(user: string, session: string): boolean
  /**
   * Claims the lease of the session, if given, and takes over work of dead sessions. Call inside a transaction.
   * `continued`: sessions of other machines that go on here.
   */
  claim(user: string, session: string | undefined, rows: R, continued?: ReadonlySet<string>): Promise<CommitLease>
  /** Its client is gone. Also holds for a claim that is in progress, until the session is present again. */
  markAbandoned(user: string, session: string): void
  markPresent(user: string, session: string): void
  /** Drops the leases that the database no longer assigns to this process. */
  reconcile(user: string, sessions: readonly SessionLease[]): void
  /**
   * Renews the leases of sessions with work and releases the others. Call inside a transaction; call the result after
   * commit.
   */
  renew(user: string, rows: R): Promise<() => void>
  /** Releases all leases. Call inside a transaction. */
  release(user: string, rows: SessionTables): Promise<void>
  /** Whether the leases were renewed recently enough to act on them. */
  isFresh(user: string): boolean
  /** Another machine goes on with the sessions of this user. */
  forget(user: string): void
}

/** To be called after the transaction committed. */
type CommitLease = () => void

interface SessionLeasesDeps<R extends SessionTables> {
  readonly clock: Clock
  readonly leaseOwner: string
  readonly isOwnerGone: (session: SessionLease) => boolean
  /** Whether this process may act on its leases; by default if they were renewed in time. */
  readonly mayAct?: (() => boolean) | undefined
  readonly queueLateAnswers: QueueLateAnswers<R>
  /** Moves the work of dead sessions; returns the names of the sessions that could not be moved and are now leased. */
  readonly takeOver: (rows: R, request: TakeoverRequest<R>) => Promise<readonly string[]>
  readonly sessionsWithWork: (rows: R) => Promise<ReadonlySet<string>>
}

/** Owner and time of a lease. */
export interface LeaseStamp {
  readonly leaseOwner: string
  readonly now: ClockReading
}

export interface TakeoverRequest<R> extends LeaseStamp {
  /** The live session; undefined if there is none yet. */
  readonly target: string | undefined
  readonly isOwnerGone: (session: SessionLease) => boolean
  /** Whether a session leased by this process has lost its client. */
  readonly isAbandoned: (name: string) => boolean
  /** Whether a session of another machine goes on here, with its own work. */
  readonly isContinued: (name: string) => boolean
  /** Queues answers to questions of these sessions as messages. */
  readonly queueLateAnswers: QueueLateAnswers<R>
}

export type QueueLateAnswers<R> = (rows: R, sessions: ReadonlySet<string>) => Promise<void>

export function createSessionLeases<R extends SessionTables>(settings: SessionLeasesDeps<R>): SessionLeases<R> {
  const { clock, leaseOwner, isOwnerGone, queueLateAnswers, takeOver, sessionsWithWork } = settings
  /** Sessions by user, and whether each has a client. */
  const leased = new Map<string, Map<string, 'here' | 'abandoned'>>()
  const renewedAt = new Map<string, number>()
  /** Sessions whose client left: a call that was in progress may still claim their lease. */
  const closed = new Set<string>()
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
    hasUser: (user) => leased.has(user),
    isLeased: (user, session) => leased.get(user)?.has(session) ?? false,
    isAbandoned,
    async claim(user, session, rows, continued) {
      const isContinued = (name: string): boolean => continued?.has(name) ?? false
      const request: Omit<TakeoverRequest<R>, 'isAbandoned'> = {
        isContinued,
        target: session,
        leaseOwner,
        now: clock(),
        isOwnerGone,
        queueLateAnswers,
      }
      const existing = (await rows.sessions.list()).find(({ name }) => name === session)
      // The session of a stateless user may be leased by another server, which then fires what is stored here.
      const isFree = existing === undefined || existing.owner === leaseOwner || isOwnerGone(existing)
      if (session !== undefined && isFree) await writeLease(rows, session, request)
      const unmoved = await takeOver(rows, {
        ...request,
        // One that was forgotten may have been lost and claimed again.
        isAbandoned: (name) => leased.get(user)?.get(name) !== 'here',
      })
      await rows.messages.deleteDeliveredBefore(request.now.wallMs - KEEP_DELIVERED_MS)
      return () => {
        // The session of a stateless user is never abandoned.
        const isStateless = (name: string): boolean => name === statelessCaller(user).session
        const hasClient = (name: string): boolean => isStateless(name) || isContinued(name)
        if (session !== undefined && isFree) {
          const isClosed = closed.has(sessionKey(user, session)) && !isStateless(session)
          setLease(user, session, isClosed ? 'abandoned' : 'here')
        }
        for (const name of unmoved) setLease(user, name, hasClient(name) ? 'here' : 'abandoned')
        renewedAt.set(user, request.now.uptimeMs)
      }
    },
    markPresent: (user, session) => void (closed.size > 0 && closed.delete(sessionKey(user, session))),
    markAbandoned(user, session) {
      const [oldest] = closed.size < MAX_CLOSED ? [] : closed
      if (oldest !== undefined) closed.delete(oldest)
      closed.add(sessionKey(user, session))
      if (leased.get(user)?.has(session)) setLease(user, session, 'abandoned')
    },
    reconcile(user, sessions) {
      const ours = new Set(sessions.filter((session) => session.owner === leaseOwner).map(({ name }) => name))
      for (const name of leased.get(user)?.keys() ?? []) if (!ours.has(name)) dropLease(user, name)
    },
    async renew(user, rows) {
      const now = clock()
      const withWork = await sessionsWithWork(rows)
      const idle: string[] = []
      for (const { name, owner } of await rows.sessions.list()) {
        if (owner !== leaseOwner) continue
        if (withWork.has(name)) await writeLease(rows, name, { leaseOwner, now })
        else await rows.sessions.release(name)
        if (!withWork.has(name)) idle.push(name)
      }
      return () => {
        renewedAt.set(user, now.uptimeMs)
        for (const name of idle) dropLease(user, name)
      }
    },
    async release(user, rows) {
      for (const { name, owner } of await rows.sessions.list()) {
        if (owner === leaseOwner) await rows.sessions.release(name)
      }
      leased.delete(user)
    },
    forget: (user) => void leased.delete(user),
    isFresh: (user) => settings.mayAct?.() ?? clock().uptimeMs - (renewedAt.get(user) ?? -Infinity) < LEASE_TRUST_MS,
  }
}

function sessionKey(user: string, session: string): string {
  return `${user}\0${session}`
}

export function writeLease(rows: SessionTables, name: string, { leaseOwner, now }: LeaseStamp) {
  return rows.sessions.upsert({ name, owner: leaseOwner, renewedAt: now.wallMs })
}

/** The identifier of this process, from which other processes can tell whether it still runs. */
export function currentLeaseOwner(): string {
  return JSON.stringify(currentProcessLocation())
}

/** Whether the owner of the lease has exited. */
export function isLeaseOwnerGone({ owner, renewedAt }: SessionLease): boolean {
  const location = tryParseJson(owner)
  // An identifier that cannot be parsed belongs to no running process.
  return !isProcessLocation(location) || isPresumedDead({ ...location, renewedAt })
}

export interface SessionLease {
  readonly name: string
  /** The holding process as JSON. */
  readonly owner: string
  readonly renewedAt: number
}

/** The tables of this folder, valid during the transaction. */
export interface SessionTables {
  readonly sessions: SessionLeaseTable
  readonly messages: MessageTable
}

export interface SessionLeaseTable {
  list(): Promise<readonly SessionLease[]>
  upsert(session: SessionLease): Promise<void>
  release(name: string): Promise<void>
}

export function createSessionLeaseTable(sql: Sql, scope: number): SessionLeaseTable {
  return {
    async list() {
      const rows = await sql.all('SELECT name, holder, renewed_at FROM sessions WHERE scope = ? ORDER BY name', scope)
      return rows.map((row): SessionLease => ({
        name: textColumn(row, 'name'),
        owner: textColumn(row, 'holder'),
        renewedAt: numberColumn(row, 'renewed_at'),
      }))
    },
    async upsert({ name, owner, renewedAt }) {
      await sql.run(
        `INSERT INTO sessions (scope, name, holder, renewed_at) VALUES (?, ?, ?, ?)
         ON CONFLICT (scope, name) DO UPDATE SET holder = excluded.holder, renewed_at = excluded.renewed_at`,
        scope,
        toStorableText(name),
        toStorableText(owner),
        renewedAt,
      )
    },
    async release(name) {
      await sql.run('DELETE FROM sessions WHERE scope = ? AND name = ?', scope, toStorableText(name))
    },
  }
}
