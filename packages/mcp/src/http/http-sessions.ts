// The sessions of legacy revisions by `Mcp-Session-Id`, in memory: expiry, and limits per user for sessions and for the
// replay logs of their events. Ids cannot be guessed and are not valid for other users.

import { randomBytes } from 'node:crypto'

import type { Caller } from '../definitions/caller.js'
import type { ToolCallFormat } from '../revisions/client-profile.js'
import type { Session, SessionOptions } from '../session/session.js'
import { EventLog, parseEventId } from './event-log.js'
import type { EventStream } from './event-stream.js'
import { ResumableStream } from './resumable-stream.js'

const IDLE_MS = 60 * 60 * 1000
const CLEANUP_INTERVAL_MS = 60 * 1000
const MAX_PER_USER = 1000
/** Characters in the replay logs of all sessions of one user. */
const MAX_LOG_SIZE_PER_USER = 16 * 1024 * 1024
const SERVER_STREAM = 'standing'

type CreateSession = (peer: Caller, options: SessionOptions) => Session

export class HttpSession {
  readonly id = randomBytes(24).toString('base64url')
  readonly session: Session
  /** Messages that belong to no request. */
  readonly serverStream: ResumableStream
  lastUsedAt = Date.now()
  readonly #log = new EventLog()
  readonly #openStreams = new Map<string, ResumableStream>()
  #lastStreamNumber = 0

  constructor(
    readonly user: string,
    createSession: CreateSession,
    toolCallFormat: ToolCallFormat | undefined,
    private readonly onLogGrowth: (characters: number) => void,
  ) {
    this.serverStream = this.#createStream(SERVER_STREAM)
    const options = { revision: '2024-11-05', sink: this.serverStream, toolCallFormat } as const
    this.session = createSession({ user, session: this.id }, options)
  }

  /** Opens the stream of one POST. */
  openStream(): ResumableStream {
    const track = this.#createStream(`p${++this.#lastStreamNumber}`)
    this.#openStreams.set(track.name, track)
    return track
  }

  closeStream(track: ResumableStream, text: string | undefined): void {
    track.end(text)
    this.#openStreams.delete(track.name)
  }

  /** Finds the stream and position of an event id; undefined if the id is unknown. */
  findResumePoint(lastEventId: string): { readonly track: ResumableStream; readonly sequence: number } | undefined {
    const position = parseEventId(lastEventId)
    if (!position) return undefined
    const { track: name, sequence } = position
    const track =
      name === SERVER_STREAM ? this.serverStream : (this.#openStreams.get(name) ?? this.#reopenFinished(name))
    return track && { track, sequence }
  }

  /** The connections that carry its events. */
  get connections(): readonly EventStream[] {
    const streams = [this.serverStream, ...this.#openStreams.values()]
    return streams.map(({ connection }) => connection).filter((stream) => stream !== undefined)
  }

  /** Characters of the events that can be replayed. */
  get logSize(): number {
    return this.#log.size
  }

  /** A client that reconnects gets none of the events so far, or only the newest. */
  clearLog(keepsNewest: boolean): void {
    this.#log.clear(keepsNewest)
  }

  get isBusy(): boolean {
    return this.serverStream.connection !== undefined || this.session.isBusy
  }

  end(reason: string): void {
    this.session.disconnect(reason)
    this.serverStream.end(undefined)
    for (const track of this.#openStreams.values()) track.end(undefined)
  }

  #createStream(name: string): ResumableStream {
    // An initial event without data is allowed since 2025-11-25; older clients try to parse it.
    return new ResumableStream(name, this.#log, {
      sendsInitialId: () => this.session.negotiatedRevision === '2025-11-25',
      onLogGrowth: this.onLogGrowth,
    })
  }

  /** The events of a finished stream stay in the log for a while. */
  #reopenFinished(name: string): ResumableStream | undefined {
    const number = Number(/^p(\d+)$/.exec(name)?.[1])
    if (!(number <= this.#lastStreamNumber)) return undefined
    const track = this.#createStream(name)
    track.end(undefined)
    return track
  }
}

export class HttpSessions {
  readonly #sessions = new Map<string, HttpSession>()
  readonly #byUser = new Map<string, Set<HttpSession>>()
  readonly #logSizes = new Map<string, number>()
  readonly #cleanupTimer: NodeJS.Timeout

  /** `toolCallFormat`: the result format of sessions at 2024-11-05. */
  constructor(
    private readonly createSession: CreateSession,
    private readonly toolCallFormat: ToolCallFormat | undefined,
  ) {
    this.#cleanupTimer = setInterval(() => this.#expireIdle(), CLEANUP_INTERVAL_MS).unref()
  }

  get size(): number {
    return this.#sessions.size
  }

  open(user: string): HttpSession {
    const userSessions = this.#byUser.get(user) ?? new Set()
    if (userSessions.size >= MAX_PER_USER) this.#evictOldest(userSessions)
    const session = new HttpSession(user, this.createSession, this.toolCallFormat, (characters) =>
      this.#countLog(session, characters),
    )
    this.#byUser.set(user, userSessions.add(session))
    this.#sessions.set(session.id, session)
    return session
  }

  find(id: string, user: string): HttpSession | undefined {
    const session = this.#sessions.get(id)
    if (session?.user !== user) return undefined
    session.lastUsedAt = Date.now()
    return session
  }

  end(session: HttpSession, reason: string): void {
    this.#sessions.delete(session.id)
    const userSessions = this.#byUser.get(session.user)
    userSessions?.delete(session)
    session.end(reason)
    this.#logSizes.set(session.user, (this.#logSizes.get(session.user) ?? 0) - session.logSize)
    session.clearLog(false)
    if (userSessions?.size !== 0) return
    this.#byUser.delete(session.user)
    this.#logSizes.delete(session.user)
  }

  *[Symbol.iterator](): Iterator<HttpSession> {
    yield* this.#sessions.values()
  }

  close(): void {
    clearInterval(this.#cleanupTimer)
    for (const session of this.#sessions.values()) session.end('the server is stopping')
    this.#sessions.clear()
  }

  /** Clears the logs of the least recently used sessions of a user, the one that has grown last. */
  #countLog(grown: HttpSession, characters: number): void {
    const { user } = grown
    if (!this.#byUser.get(user)?.has(grown)) return
    let total = (this.#logSizes.get(user) ?? 0) + characters
    if (total > MAX_LOG_SIZE_PER_USER) {
      for (const session of byLastUse(this.#byUser.get(user) ?? new Set())) {
        if (total <= MAX_LOG_SIZE_PER_USER) break
        const sizeBefore = session.logSize
        session.clearLog(session === grown)
        total += session.logSize - sizeBefore
      }
    }
    this.#logSizes.set(user, total)
  }

  /** Ends the least recently used session, idle ones first. */
  #evictOldest(userSessions: ReadonlySet<HttpSession>): void {
    const [oldest] = byLastUse(userSessions)
    if (oldest) this.end(oldest, 'there were too many sessions')
  }

  #expireIdle(): void {
    const cutoff = Date.now() - IDLE_MS
    for (const session of this.#sessions.values()) {
      if (session.isBusy) session.lastUsedAt = Date.now()
      else if (session.lastUsedAt < cutoff) this.end(session, 'it was not used for an hour')
    }
  }
}

/** Idle sessions first. */
function byLastUse(sessions: ReadonlySet<HttpSession>): readonly HttpSession[] {
  return [...sessions].toSorted((a, b) => Number(a.isBusy) - Number(b.isBusy) || a.lastUsedAt - b.lastUsedAt)
}
