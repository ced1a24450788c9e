// The legacy sessions of the HTTP server. Ids cannot be guessed and are worth nothing to another user: for them the
// session does not exist. A session that nobody uses ends by itself.

import { randomBytes } from 'node:crypto'

import type { Peer } from '../../protocol/exchange.js'
import type { Dialect } from '../../protocol/client.js'
import type { Session, SessionOptions } from '../../protocol/session.js'
import { EventLog, readId } from './event-log.js'
import type { EventStream } from './event-stream.js'
import { Track } from './track.js'

const IDLE_MS = 60 * 60 * 1000
const SWEEP_MS = 60 * 1000
const MAX_PER_USER = 1000
const STANDING = 'standing'

type Converse = (peer: Peer, options: SessionOptions) => Session

export class LegacySession {
  readonly id = randomBytes(24).toString('base64url')
  readonly session: Session
  /** Messages that belong to no request. */
  readonly standing: Track
  usedAt = Date.now()
  readonly #log = new EventLog()
  readonly #tracks = new Map<string, Track>()
  #lastTrack = 0

  constructor(
    readonly user: string,
    converse: Converse,
    dialect: Dialect | undefined,
  ) {
    this.standing = this.#newTrack(STANDING)
    const options = { revision: '2024-11-05', outlet: this.standing, dialect } as const
    this.session = converse({ user, session: this.id }, options)
  }

  /** The line for one POST. */
  openTrack(): Track {
    const track = this.#newTrack(`p${++this.#lastTrack}`)
    this.#tracks.set(track.name, track)
    return track
  }

  closeTrack(track: Track, text: string | undefined): void {
    track.end(text)
    this.#tracks.delete(track.name)
  }

  /** The line a client stopped in, and where; undefined: the id is none of ours. */
  lineAt(lastEventId: string): { readonly track: Track; readonly sequence: number } | undefined {
    const found = readId(lastEventId)
    if (!found) return undefined
    const { track: name, sequence } = found
    const track = name === STANDING ? this.standing : (this.#tracks.get(name) ?? this.#finished(name))
    return track && { track, sequence }
  }

  /** The connections that carry its events now. */
  get streams(): readonly EventStream[] {
    const tracks = [this.standing, ...this.#tracks.values()]
    return tracks.map(({ stream }) => stream).filter((stream) => stream !== undefined)
  }

  get busy(): boolean {
    return this.standing.stream !== undefined || this.session.busy
  }

  end(reason: string): void {
    this.session.leave(reason)
    this.standing.end(undefined)
    for (const track of this.#tracks.values()) track.end(undefined)
  }

  #newTrack(name: string): Track {
    // An event without data, to come back with, is new in 2025-11-25; older clients try to read it.
    return new Track(name, this.#log, () => this.session.agreed === '2025-11-25')
  }

  /** A line that is over still has its events in the log, for a while. */
  #finished(name: string): Track | undefined {
    const number = Number(/^p(\d+)$/.exec(name)?.[1])
    if (!(number <= this.#lastTrack)) return undefined
    const track = this.#newTrack(name)
    track.end(undefined)
    return track
  }
}

export class LegacySessions {
  readonly #sessions = new Map<string, LegacySession>()
  readonly #byUser = new Map<string, Set<LegacySession>>()
  readonly #sweeper: NodeJS.Timeout

  /** `dialect`: of sessions that agree on 2024-11-05. */
  constructor(
    private readonly converse: Converse,
    private readonly dialect: Dialect | undefined,
  ) {
    this.#sweeper = setInterval(() => this.#sweep(), SWEEP_MS).unref()
  }

  get size(): number {
    return this.#sessions.size
  }

  open(user: string): LegacySession {
    const own = this.#byUser.get(user) ?? new Set()
    if (own.size >= MAX_PER_USER) this.#makeRoom(own)
    const session = new LegacySession(user, this.converse, this.dialect)
    this.#byUser.set(user, own.add(session))
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
    const own = this.#byUser.get(session.user)
    own?.delete(session)
    if (own?.size === 0) this.#byUser.delete(session.user)
    session.end(reason)
  }

  *[Symbol.iterator](): Iterator<LegacySession> {
    yield* this.#sessions.values()
  }

  close(): void {
    clearInterval(this.#sweeper)
    for (const session of this.#sessions.values()) session.end('the server is stopping')
    this.#sessions.clear()
  }

  /** Ends the one that was used longest ago of those that do nothing, or else of all. */
  #makeRoom(own: ReadonlySet<LegacySession>): void {
    const [leaving] = [...own].toSorted((a, b) => Number(a.busy) - Number(b.busy) || a.usedAt - b.usedAt)
    if (leaving) this.end(leaving, 'there were too many sessions')
  }

  #sweep(): void {
    const before = Date.now() - IDLE_MS
    for (const session of this.#sessions.values()) {
      if (session.busy) session.usedAt = Date.now()
      else if (session.usedAt < before) this.end(session, 'it was not used for an hour')
    }
  }
}
