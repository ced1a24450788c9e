// Sessions by `Mcp-Session-Id`: per-user limit and expiry. Ids cannot be guessed and are not valid for other users.

import { randomBytes } from 'node:crypto'

import type { Who } from '../../services/who.js'
import type { Dialect } from '../../protocol/client.js'
import type { Session, SessionOptions } from '../../protocol/session.js'
import { EventLog, readId } from './event-log.js'
import type { EventStream } from './event-stream.js'
import { Track } from './track.js'

const IDLE_MS = 60 * 60 * 1000
const CLEANUP_INTERVAL_MS = 60 * 1000
const MAX_PER_USER = 1000
const SERVER_STREAM = 'standing'

type CreateSession = (peer: Who, options: SessionOptions) => Session

export class LegacySession {
  readonly id = randomBytes(24).toString('base64url')
  readonly session: Session
  /** Messages that belong to no request. */
  readonly standing: Track
  usedAt = Date.now()
  readonly #log = new EventLog()
  readonly #openStreams = new Map<string, Track>()
  #lastStreamNumber = 0

  constructor(
    readonly user: string,
    createSession: CreateSession,
    dialect: Dialect | undefined,
  ) {
    this.standing = this.#createStream(SERVER_STREAM)
    const options = { revision: '2024-11-05', outlet: this.standing, dialect } as const
    this.session = createSession({ user, session: this.id }, options)
  }

  /** Opens the stream of one POST. */
  openTrack(): Track {
    const track = this.#createStream(`p${++this.#lastStreamNumber}`)
    this.#openStreams.set(track.name, track)
    return track
  }

  closeTrack(track: Track, text: string | undefined): void {
    track.end(text)
    this.#openStreams.delete(track.name)
  }

  /** Finds the stream and position of an event id; undefined if the id is unknown. */
  lineAt(lastEventId: string): { readonly track: Track; readonly sequence: number } | undefined {
    const position = readId(lastEventId)
    if (!position) return undefined
    const { track: name, sequence } = position
    const track = name === SERVER_STREAM ? this.standing : (this.#openStreams.get(name) ?? this.#reopenFinished(name))
    return track && { track, sequence }
  }

  /** The connections that carry its events. */
  get streams(): readonly EventStream[] {
    const streams = [this.standing, ...this.#openStreams.values()]
    return streams.map(({ stream }) => stream).filter((stream) => stream !== undefined)
  }

  get busy(): boolean {
    return this.standing.stream !== undefined || this.session.busy
  }

  end(reason: string): void {
    this.session.leave(reason)
    this.standing.end(undefined)
    for (const track of this.#openStreams.values()) track.end(undefined)
  }

  #createStream(name: string): Track {
    // An initial event without data is allowed since 2025-11-25; older clients try to parse it.
    return new Track(name, this.#log, () => this.session.agreed === '2025-11-25')
  }

  /** The events of a finished stream stay in the log for a while. */
  #reopenFinished(name: string): Track | undefined {
    const number = Number(/^p(\d+)$/.exec(name)?.[1])
    if (!(number <= this.#lastStreamNumber)) return undefined
    const track = this.#createStream(name)
    track.end(undefined)
    return track
  }
}

export class LegacySessions {
  readonly #sessions = new Map<string, LegacySession>()
  readonly #byUser = new Map<string, Set<LegacySession>>()
  readonly #cleanupTimer: NodeJS.Timeout

  /** `dialect`: the result format of sessions at 2024-11-05. */
  constructor(
    private readonly createSession: CreateSession,
    private readonly dialect: Dialect | undefined,
  ) {
    this.#cleanupTimer = setInterval(() => this.#expireIdle(), CLEANUP_INTERVAL_MS).unref()
  }

  get size(): number {
    return this.#sessions.size
  }

  open(user: string): LegacySession {
    const userSessions = this.#byUser.get(user) ?? new Set()
    if (userSessions.size >= MAX_PER_USER) this.#evictOldest(userSessions)
    const session = new LegacySession(user, this.createSession, this.dialect)
    this.#byUser.set(user, userSessions.add(session))
    this.#sessions.set(session.id, session)
    return session
  }

  find(id: string, user: string): LegacySession | undefined {
    const session = this.#sessions.get(id)
    if (session?.user !== user) return undefined
    session.usedAt = Date.now()
    return session
  }

  end(session: LegacySession, reason: string): void {
    this.#sessions.delete(session.id)
    const userSessions = this.#byUser.get(session.user)
    userSessions?.delete(session)
    if (userSessions?.size === 0) this.#byUser.delete(session.user)
    session.end(reason)
  }

  *[Symbol.iterator](): Iterator<LegacySession> {
    yield* this.#sessions.values()
  }

  close(): void {
    clearInterval(this.#cleanupTimer)
    for (const session of this.#sessions.values()) session.end('the server is stopping')
    this.#sessions.clear()
  }

  /** Ends the least recently used session, idle ones first. */
  #evictOldest(userSessions: ReadonlySet<LegacySession>): void {
    const [oldest] = [...userSessions].toSorted((a, b) => Number(a.busy) - Number(b.busy) || a.usedAt - b.usedAt)
    if (oldest) this.end(oldest, 'there were too many sessions')
  }

  #expireIdle(): void {
    const cutoff = Date.now() - IDLE_MS
    for (const session of this.#sessions.values()) {
      if (session.busy) session.usedAt = Date.now()
      else if (session.usedAt < cutoff) this.end(session, 'it was not used for an hour')
    }
  }
}
