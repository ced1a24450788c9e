// The sessions of legacy revisions by `Mcp-Session-Id`, in memory: expiry, and limits per user for sessions and for the
// replay logs of their events. Ids cannot be guessed and are not valid for other users. Those that are not used for some
// minutes are suspended. With a store, sessions of other servers are continued here. Used by mcp-endpoint.ts and
// legacy-post.ts. Sets timers.

import type { ToolCallFormat } from '../revisions/client-profile.js'
import type { McpServer } from '../server/mcp-server.js'
import { type ContinuedSession, type CreateSession, HttpSession, SuspendedSession } from './http-session.js'
import type { HttpSessionStore } from './session-store.js'

const IDLE_MS = 60 * 60 * 1000
/** How long after its last use a session can replay events: a client that reconnects does so sooner. Then it is suspended. */
const REPLAY_MS = 10 * 60 * 1000
const CLEANUP_INTERVAL_MS = 60 * 1000
const MAX_PER_USER = 1000
/** Characters in the replay logs of all sessions of one user. */
const MAX_LOG_SIZE_PER_USER = 16 * 1024 * 1024
const ID_PATTERN = /^[\w-]{32}$/
/** Streams and events that one server numbers; the next server that continues the session starts above them. */
const NUMBERS_PER_GENERATION = 1e9
/** Time of one turn of the event loop for expiry. */
const SLICE_MS = 5

type KeptSession = HttpSession | SuspendedSession

export class HttpSessions {
  readonly #sessions = new Map<string, KeptSession>()
  readonly #byUser = new Map<string, Set<KeptSession>>()
  readonly #logSizes = new Map<string, number>()
  readonly #restoring = new Map<string, Promise<HttpSession | undefined>>()
  readonly #cleanupTimer: NodeJS.Timeout
  #touchedAt = performance.now()
  #isChecking = false

  /** `toolCallFormat`: the result format of sessions at 2024-11-05. */
  constructor(
    private readonly createSession: CreateSession,
    private readonly toolCallFormat: ToolCallFormat | undefined,
    private readonly store?: HttpSessionStore,
  ) {
    this.#cleanupTimer = setInterval(() => void this.#checkIdle(), CLEANUP_INTERVAL_MS).unref()
  }

  get size(): number {
    return this.#sessions.size
  }

  /** `server`: where there are several. */
  open(user: string, server?: McpServer): HttpSession {
    return this.#add(user, server)
  }

  #add(user: string, server: McpServer | undefined, continued?: ContinuedSession): HttpSession {
    const userSessions = this.#byUser.get(user)
    if (userSessions && userSessions.size >= MAX_PER_USER) this.#evictOldest(userSessions)
    return this.#create(user, server, continued)
  }

  #create(user: string, server: McpServer | undefined, continued: ContinuedSession | undefined): HttpSession {
    const { createSession, toolCallFormat, store } = this
    const onLogGrowth = (characters: number): void => this.#countLog(session, characters)
    const session = new HttpSession(user, { server, createSession, toolCallFormat, store, onLogGrowth, continued })
    this.#keep(session)
    return session
  }

  #keep(session: KeptSession): void {
    const userSessions = this.#byUser.get(session.user) ?? new Set()
    const replaced = this.#sessions.get(session.id)
    if (replaced) userSessions.delete(replaced)
    this.#byUser.set(session.user, userSessions.add(session))
    this.#sessions.set(session.id, session)
  }

  find(id: string, user: string, server?: McpServer): HttpSession | undefined {
    const found = this.#sessions.get(id)
    if (found?.user !== user) return undefined
    // The same user with a credential of another tenant.
    const { server: ofSession } = found instanceof HttpSession ? found.session : found
    if (server && ofSession !== server) return undefined
    const session = found instanceof HttpSession ? found : this.#create(user, found.server, found.continued)
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
    if (!stored) return undefined
    const first = stored.generation * NUMBERS_PER_GENERATION
    const numbers = { firstStream: first, lastStream: first, lastEvent: first, lastWritten: 0 }
    return this.#add(user, server, { id, facts: stored.facts, numbers })
  }

  /** Ends a session everywhere. The promise, if there is a store, resolves when no other server can continue it. */
  end(session: KeptSession, reason: string): Promise<void> | undefined {
    this.#drop(session, reason, false)
    return this.store?.remove(session.user, session.id)
  }

  #drop(session: KeptSession, reason: string, isMoved: boolean): void {
    this.#sessions.delete(session.id)
    const userSessions = this.#byUser.get(session.user)
    userSessions?.delete(session)
    if (session instanceof HttpSession) {
      session.end(reason, isMoved)
      this.#clearLog(session)
    } else session.end(isMoved)
    if (userSessions?.size !== 0) return
    this.#byUser.delete(session.user)
    this.#logSizes.delete(session.user)
  }

  /** Another machine goes on with the sessions of this user. */
  forgetUser(user: string, reason: string): void {
    for (const session of this.#byUser.get(user) ?? []) this.#drop(session, reason, this.canRestore)
  }

  /** Those that are not suspended. */
  *[Symbol.iterator](): Iterator<HttpSession> {
    for (const session of this.#sessions.values()) if (session instanceof HttpSession) yield session
  }

  /** The servers of the suspended sessions. */
  *suspendedServers(): Generator<McpServer> {
    for (const session of this.#sessions.values()) if (session instanceof SuspendedSession) yield session.server
  }

  close(): void {
    clearInterval(this.#cleanupTimer)
    for (const session of this.#sessions.values()) {
      if (session instanceof HttpSession) session.end('the server is stopping', this.canRestore)
      else session.end(this.canRestore)
    }
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
        if (session instanceof SuspendedSession) continue
        const sizeBefore = session.logSize
        session.clearLog(session === grown)
        total += session.logSize - sizeBefore
      }
    }
    this.#logSizes.set(user, total)
  }

  /** Ends the least recently used session, idle ones first. */
  #evictOldest(userSessions: ReadonlySet<KeptSession>): void {
    const [oldest] = byLastUse(userSessions)
    if (oldest) this.#endQuietly(oldest, 'there were too many sessions')
  }

  /** Gives the event loop a turn after each slice: with many sessions it would be blocked. */
  async #checkIdle(): Promise<void> {
    if (this.#isChecking) return
    this.#isChecking = true
    let now = performance.now()
    const sliceEndsIn = (): number => now + SLICE_MS - performance.now()
    for (const session of this.#sessions.values()) {
      this.#checkSession(session, now)
      if (sliceEndsIn() > 0) continue
      await new Promise((resolve) => setImmediate(resolve))
      now = performance.now()
    }
    this.#isChecking = false
    if (this.store) this.#touchUsed(this.store)
  }

  #checkSession(session: KeptSession, now: number): void {
    const idleMs = now - session.lastUsedAt
    if (session instanceof HttpSession && session.isBusy) session.lastUsedAt = now
    else if (idleMs > IDLE_MS) this.#endQuietly(session, 'it was not used for an hour')
    else if (idleMs > REPLAY_MS && session instanceof HttpSession) this.#suspend(session)
  }

  #suspend(session: HttpSession): void {
    this.#clearLog(session)
    const suspended = session.suspend()
    if (suspended) this.#keep(suspended)
  }

  #clearLog(session: HttpSession): void {
    this.#logSizes.set(session.user, (this.#logSizes.get(session.user) ?? 0) - session.logSize)
    session.clearLog(false)
  }

  /** What cannot be removed from the store expires there. */
  #endQuietly(session: KeptSession, reason: string): void {
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
function byLastUse(sessions: ReadonlySet<KeptSession>): readonly KeptSession[] {
  const isBusy = (session: KeptSession): boolean => session instanceof HttpSession && session.isBusy
  return [...sessions].toSorted((a, b) => Number(isBusy(a)) - Number(isBusy(b)) || a.lastUsedAt - b.lastUsedAt)
}
