// What all requests to one HTTP server share.

import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'

import type { Dialect } from '../../protocol/client.js'
import type { Peer } from '../../protocol/exchange.js'
import type { Message } from '../../protocol/message.js'
import type { Server } from '../../protocol/server.js'
import { createSession, type Session, type SessionOptions } from '../../protocol/session.js'
import type { Authenticator } from './auth.js'
import type { EventStream } from './event-stream.js'
import type { GatePolicy, Refusal } from './gate.js'
import { LegacySessions } from './legacy-sessions.js'
import type { Limits } from './limits.js'
import { createMetrics } from './metrics.js'
import { createOutbox } from './outbox.js'
import type { AccessLog, Books, Visit } from './visit.js'

/** What whoever opens a house decides. */
export interface HouseRules {
  readonly policy: GatePolicy
  readonly authenticator: Authenticator
  readonly limits: Limits
  readonly maxBodyBytes: number
  /** The path a proxy serves us under, where it is not the root. */
  readonly basePath?: string | undefined
  readonly accessLog?: AccessLog | undefined
  readonly extensions?: HttpExtensions | undefined
  /** False: only the routes of the extensions are served. Default: true. */
  readonly mcp?: boolean | undefined
}

/** What a program adds to the HTTP server of the protocol. */
export interface HttpExtensions {
  /** Opens further routes, such as those of the console. */
  readonly routes?: ((house: House) => ExtraRoutes) | undefined
  /** Serves POSTs that name no revision, and sessions of 2024-11-05. Without it they are served as the protocol says. */
  readonly unversioned?: UnversionedClients | undefined
  /** Loads the handler of WebSockets. Without it the Upgrade header is ignored. */
  readonly webSockets?: ((house: House) => Promise<WebSockets>) | undefined
}

export interface ExtraRoutes {
  ownsPath(path: string): boolean
  /** Checks a request for one of its paths before authentication. */
  refuse(request: IncomingMessage): Refusal | undefined
  /** Serves a public file; false if the path is not one. */
  servePublic(visit: Visit, path: string): boolean
  /** Serves an authenticated request for one of its paths. */
  route(visit: Visit, path: string, withBody: WithBody): void
  /** Called when the server shuts down. */
  endStreams(): void
}

/** Reads the body of a request, or refuses it. */
export type WithBody = (visit: Visit, next: (body: string) => void, maxBytes?: number) => void

export interface UnversionedClients {
  readonly dialect: Dialect
  post(house: House, visit: Visit, message: Message, opened?: Session): void
}

export interface WebSockets {
  /** Takes over a connection that asked to be upgraded. */
  accept(request: IncomingMessage, socket: Duplex, head: Buffer, user: string): void
  close(): void
}

export interface House extends Omit<HouseRules, 'accessLog'>, Books {
  readonly extensions: HttpExtensions
  readonly server: Server
  /** A new conversation, of whatever length. */
  converse(peer: Peer, options: SessionOptions): Session
  /** Conversations that are as short as a request, or as long as a connection. */
  readonly passing: Set<Session>
  readonly sessions: LegacySessions
  /** Responses that stay open and want a sign of life now and then. */
  readonly streams: Set<EventStream>
  /** Set once the server is on its way out. */
  draining: boolean
}

export function openHouse(server: Server, rules: HouseRules): House {
  const { policy, authenticator, limits, maxBodyBytes, basePath, accessLog, extensions = {}, mcp } = rules
  const converse: House['converse'] = (peer, { revision, outlet, dialect, stateless }) =>
    createSession(server, peer, { revision, outlet, dialect, stateless, onCall: (call) => metrics.called(call) })
  const sessions = new LegacySessions(converse, extensions.unversioned?.dialect)
  const streams = new Set<EventStream>()
  const metrics = createMetrics({
    gauges: {
      sessions: () => sessions.size,
      streams: () => [...openStreams({ streams, sessions })].length,
      in_flight: () => limits.open,
    },
    tools: server.catalogue.names(),
  })
  return {
    server,
    policy,
    authenticator,
    limits,
    maxBodyBytes,
    basePath,
    accessLog,
    extensions,
    mcp,
    converse,
    metrics,
    outbox: createOutbox((error) => server.logError(error)),
    sessions,
    streams,
    passing: new Set(),
    draining: false,
  }
}

/** Every stream of events that is open, of whatever kind. */
export function* openStreams({ streams, sessions }: Pick<House, 'streams' | 'sessions'>): Generator<EventStream> {
  yield* streams
  for (const session of sessions) yield* session.streams
}

/** Every conversation there is, short or long. */
export function* conversations(house: House): Generator<Session> {
  yield* house.passing
  for (const { session } of house.sessions) yield session
}
