// One session of a legacy revision over HTTP: its streams and the log of their events. A session without use can be
// suspended: what is left is a small record, from which it is resumed as it was. Created by http-sessions.ts.
// Writes to connections; in memory only.

import { randomBytes } from 'node:crypto'

import type { Caller } from '../definitions/caller.js'
import type { ToolCallFormat } from '../revisions/client-profile.js'
import type { McpServer } from '../server/mcp-server.js'
import type { Session } from '../session/session.js'
import { EventLog, parseEventId } from './event-log.js'
import type { EventStream } from './event-stream.js'
import type { HttpSessionOptions } from './http-context.js'
import { ResumableStream } from './resumable-stream.js'
import { readFacts, restoreFacts, type SessionFacts, StoredClientSession } from './session-facts.js'
import type { HttpSessionStore } from './session-store.js'

const SERVER_STREAM = 'standing'
const NO_CONNECTIONS: readonly EventStream[] = []

export type CreateSession = (peer: Caller, options: HttpSessionOptions) => Session

/** How far the numbers of streams and events have come. */
export interface SessionNumbers {
  /** Streams of this process have greater numbers. */
  readonly firstStream: number
  readonly lastStream: number
  readonly lastEvent: number
  /** Of the messages that belong to no request. */
  readonly lastWritten: number
}

export interface ContinuedSession {
  readonly id: string
  readonly facts: SessionFacts
  readonly numbers: SessionNumbers
}

export interface OpenSessionOptions {
  /** Where there are several. */
  readonly server: McpServer | undefined
  readonly createSession: CreateSession
  readonly toolCallFormat: ToolCallFormat | undefined
  readonly store: HttpSessionStore | undefined
  readonly onLogGrowth: (characters: number) => void
  /** Continues this session. */
  readonly continued?: ContinuedSession | undefined
}

const NO_NUMBERS: SessionNumbers = { firstStream: 0, lastStream: 0, lastEvent: 0, lastWritten: 0 }

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
    { server, createSession, toolCallFormat, store, onLogGrowth, continued }: OpenSessionOptions,
  ) {
    const { firstStream, lastStream, lastEvent, lastWritten } = continued?.numbers ?? NO_NUMBERS
    const id = continued?.id ?? randomBytes(24).toString('base64url')
    this.id = id
    this.#log = new EventLog(lastEvent)
    this.#firstStreamNumber = firstStream
    this.#lastStreamNumber = lastStream
    this.#onLogGrowth = onLogGrowth
    this.serverStream = this.#createStream(SERVER_STREAM, lastWritten)
    const options = { server, revision: '2024-11-05', sink: this.serverStream, toolCallFormat } as const
    const session = createSession({ user, session: id }, options)
    if (continued) restoreFacts(session.state, continued.facts)
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
    if (this.#openStreams.size === 0 && !this.serverStream.connection) return NO_CONNECTIONS
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

  /** Releases everything that can be made again; undefined if something cannot. Events are not kept. */
  suspend(): SuspendedSession | undefined {
    const { state, server, outgoingRequests } = this.session
    const facts = readFacts(state)
    // What is subscribed to may change, and a request to the client may be answered late.
    const isExpecting = outgoingRequests !== undefined || state.subscriptions.size > 0
    const isNeeded = this.isBusy || this.#openStreams.size > 0 || isExpecting
    if (isNeeded || !facts) return undefined
    const numbers = {
      firstStream: this.#firstStreamNumber,
      lastStream: this.#lastStreamNumber,
      lastEvent: this.#log.last,
      lastWritten: this.serverStream.lastWritten,
    }
    this.end('it is suspended', true)
    return new SuspendedSession({ id: this.id, facts, numbers }, server, this.user, this.lastUsedAt)
  }

  end(reason: string, isMoved = false): void {
    this.session.disconnect(reason, isMoved)
    this.serverStream.end(undefined)
    for (const track of this.#openStreams.values()) track.end(undefined)
  }

  #createStream(name: string, lastWritten = 0): ResumableStream {
    // An initial event without data is allowed since 2025-11-25; older clients try to parse it.
    const options = {
      sendsInitialId: () => this.session.negotiatedRevision === '2025-11-25',
      onLogGrowth: this.#onLogGrowth,
    }
    return new ResumableStream(name, this.#log, options, lastWritten)
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

/** What is left of a session that was not used for a while. */
export class SuspendedSession {
  constructor(
    readonly continued: ContinuedSession,
    readonly server: McpServer,
    readonly user: string,
    readonly lastUsedAt: number,
  ) {}

  get id(): string {
    return this.continued.id
  }

  end(isMoved: boolean): void {
    if (!isMoved) this.server.observer?.onDisconnect({ user: this.user, session: this.id })
  }
}
