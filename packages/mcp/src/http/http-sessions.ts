// The sessions of legacy revisions by `Mcp-Session-Id`, in memory: expiry, and limits per user for sessions and for the
// replay logs of their events. Ids cannot be guessed and are not valid for other users. With a store, sessions of other
// servers are continued here. Used by mcp-endpoint.ts and legacy-post.ts. Sets timers.

import { randomBytes } from 'node:crypto'

import type { Caller } from '../definitions/caller.js'
import type { ToolCallFormat } from '../revisions/client-profile.js'
import type { McpServer } from '../server/mcp-server.js'
import type { Session } from '../session/session.js'
import { EventLog, parseEventId } from './event-log.js'
import type { EventStream } from './event-stream.js'
import type { HttpSessionOptions } from './http-context.js'
import { ResumableStream } from './resumable-stream.js'
import { restoreFacts, StoredClientSession } from './session-facts.js'
import type { HttpSessionStore, StoredSession } from './session-store.js'

const IDLE_MS = 60 * 60 * 1000
/** How long after its last use a session can replay events: a client that reconnects does so sooner. */
const REPLAY_MS = 10 * 60 * 1000
const CLEANUP_INTERVAL_MS = 60 * 1000
const MAX_PER_USER = 1000
/** Characters in the replay logs of all sessions of one user. */
const MAX_LOG_SIZE_PER_USER = 16 * 1024 * 1024
const SERVER_STREAM = 'standing'
const ID_PATTERN = /^[\w-]{32}$/
/** Streams and events that one server numbers; the next server that continues the session starts above them. */
const NUMBERS_PER_GENERATION = 1e9

type CreateSession = (peer: Caller, options: HttpSessionOptions) => Session

interface OpenSessionOptions {
  /** Where there are several. */
  readonly server: McpServer | undefined
  readonly createSession: CreateSession
  readonly toolCallFormat: ToolCallFormat | undefined
  readonly store: HttpSessionStore | undefined
  readonly onLogGrowth: (characters: number) => void
  /** Continues the session of this id. */
  readonly stored?: (StoredSession & { readonly id: string }) | undefined
}

export class HttpSession {
  readonly id: string
  readonly session: Session
  /** Messages that belong to no request. */
  readonly serverStream: ResumableStream
  lastUsedAt = performance.now()
  readonly #log: EventLog
  readonly #openStreams = new Map<string, ResumableStream>()
  readonly #firstStreamNumber: number
  #lastStreamNumber: number
  readonly #onLogGrowth: (characters: number) => void

  constructor(
    readonly user: string,
    { server, createSession, toolCallFormat, store, onLogGrowth, stored }: OpenSessionOptions,
  ) {
    const firstNumber = (stored?.generation ?? 0) * NUMBERS_PER_GENERATION
    const id = stored?.id ?? randomBytes(24).toString('base64url')
    this.id = id
    this.#log = new EventLog(firstNumber)
    this.#firstStreamNumber = this.#lastStreamNumber = firstNumber
    this.#onLogGrowth = onLogGrowth
    this.serverStream = this.#createStream(SERVER_STREAM)
    const options = { server, revision: '2024-11-05', sink: this.serverStream, toolCallFormat } as const
    const session = createSession({ user, session: id }, options)
    if (stored) restoreFacts(session.state, stored.facts)
    this.session = store ? new StoredClientSession(session, (facts) => store.save(user, id, facts)) : session
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

  end(reason: string, isMoved = false): void {
    this.session.disconnect(reason, isMoved)
    this.serverStream.end(undefined)
    for (const track of this.#openStreams.values()) track.end(undefined)
  }

  #createStream(name: string): ResumableStream {
    // An initial event without data is allowed since 2025-11-25; older clients try to parse it.
    return new ResumableStream(name, this.#log, {
      sendsInitialId: () => this.session.negotiatedRevision === '2025-11-25',
      onLogGrowth: this.#onLogGrowth,
    })
  }

  /** The events of a finished stream stay in the log for a while. */
  #reopenFinished(name: string): ResumableStream | undefined {
    const number = Number(/^p(\d+)$/.exec(name)?.[1])
    if (!(number > this.#firstStreamNumber && number <= this.#lastStreamNumber)) return undefined
    const track = this.#createStream(name)
    track.end(undefined)
    return track
  }
}

export class HttpSessions {
  readonly #sessions = new Map<string, HttpSession>()
  readonly #byUser = new Map<string, Set<HttpSession>>()
  readonly #logSizes = new Map<string, number>()
  readonly #restoring = new Map<string, Promise<HttpSession | undefined>>()
  readonly #cleanupTimer: NodeJS.Timeout
  #touchedAt = performance.now()

  /** `toolCallFormat`: the result format of sessions at 2024-11-05. */
  constructor(
    private readonly createSession: CreateSession,
    private readonly toolCallFormat: ToolCallFormat | undefined,
    private readonly store?: HttpSessionStore,
  ) {
    this.#cleanupTimer = setInterval(() => this.#expireIdle(), CLEANUP_INTERVAL_MS).unref()
  }

  get size(): number {
    return this.#sessions.size
  }

  /** `server`: where there are several. */
  open(user: string, server?: McpServer): HttpSession {
    return this.#add(user, server, undefined)
  }

  #add(user: string, server: McpServer | undefined, stored: OpenSessionOptions['stored']): HttpSession {
    const { createSession, toolCallFormat, store } = this
    const userSessions = this.#byUser.get(user) ?? new Set()
    if (userSessions.size >= MAX_PER_USER) this.#evictOldest(userSessions)
    const onLogGrowth = (characters: number): void => this.#countLog(session, characters)
    const session = new HttpSession(user, { server, createSession, toolCallFormat, store, onLogGrowth, stored })
    this.#byUser.set(user, userSessions.add(session))
    this.#sessions.set(session.id, session)
    return session
  }

  find(id: string, user: string, server?: McpServer): HttpSession | undefined {
    const session = this.#sessions.get(id)
    if (session?.user !== user) return undefined
    // The same user with a credential of another tenant.
    if (server && session.session.server !== server) return undefined
    session.lastUsedAt = performance.now()
    return session
  }

  /** Whether sessions of other servers can be continued here. */
  get canRestore(): boolean {
    return this.store !== undefined
  }

  /** Continues a session of another server; undefined if there is none. */
  async restore(id: string, user: string, server?: McpServer): Promise<HttpSession | undefined> {
    const key = `${user}\0${id}`
    const restoring =
      this.#restoring.get(key) ?? this.#restoreOnce(id, user, server).finally(() => this.#restoring.delete(key))
    this.#restoring.set(key, restoring)
    return (await restoring) && this.find(id, user, server)
  }

  async #restoreOnce(id: string, user: string, server: McpServer | undefined): Promise<HttpSession | undefined> {
    const stored = ID_PATTERN.test(id) ? await this.store?.restore(user, id) : undefined
    return stored && this.#add(user, server, { id, ...stored })
  }

  /** Ends a session everywhere. The promise, if there is a store, resolves when no other server can continue it. */
  end(session: HttpSession, reason: string): Promise<void> | undefined {
    this.#drop(session, reason, false)
    return this.store?.remove(session.user, session.id)
  }

  #drop(session: HttpSession, reason: string, isMoved: boolean): void {
    this.#sessions.delete(session.id)
    const userSessions = this.#byUser.get(session.user)
    userSessions?.delete(session)
    session.end(reason, isMoved)
    this.#clearLog(session)
    if (userSessions?.size !== 0) return
    this.#byUser.delete(session.user)
    this.#logSizes.delete(session.user)
  }

  /** Another machine goes on with the sessions of this user. */
  forgetUser(user: string, reason: string): void {
    for (const session of this.#byUser.get(user) ?? []) this.#drop(session, reason, this.canRestore)
  }

  *[Symbol.iterator](): Iterator<HttpSession> {
    yield* this.#sessions.values()
  }

  close(): void {
    clearInterval(this.#cleanupTimer)
    for (const session of this.#sessions.values()) session.end('the server is stopping', this.canRestore)
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
    if (oldest) this.#endQuietly(oldest, 'there were too many sessions')
  }

  #expireIdle(): void {
    const now = performance.now()
    for (const session of this.#sessions.values()) {
      const idleMs = now - session.lastUsedAt
      if (session.isBusy) session.lastUsedAt = now
      else if (idleMs > IDLE_MS) this.#endQuietly(session, 'it was not used for an hour')
      else if (idleMs > REPLAY_MS) this.#clearLog(session)
    }
    if (this.store) this.#touchUsed(this.store)
  }

  #clearLog(session: HttpSession): void {
    this.#logSizes.set(session.user, (this.#logSizes.get(session.user) ?? 0) - session.logSize)
    session.clearLog(false)
  }

  /** What cannot be removed from the store expires there. */
  #endQuietly(session: HttpSession, reason: string): void {
    void this.end(session, reason)?.catch(() => undefined)
  }

  #touchUsed(store: HttpSessionStore): void {
    const since = this.#touchedAt
    this.#touchedAt = performance.now()
    for (const [user, userSessions] of this.#byUser) {
      const ids = [...userSessions].filter(({ lastUsedAt }) => lastUsedAt >= since).map(({ id }) => id)
      if (ids.length > 0) void store.touch(user, ids).catch(() => undefined)
    }
  }
}

/** Idle sessions first. */
function byLastUse(sessions: ReadonlySet<HttpSession>): readonly HttpSession[] {
  return [...sessions].toSorted((a, b) => Number(a.isBusy) - Number(b.isBusy) || a.lastUsedAt - b.lastUsedAt)
}
