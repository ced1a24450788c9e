// State shared by all requests of one HTTP server.

import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'

import type { Dialect } from '../../protocol/client.js'
import type { Who } from '../../services/who.js'
import type { Message } from '../../protocol/message.js'
import type { Server } from '../../protocol/server.js'
import { createSession, type Session, type SessionOptions } from '../../protocol/session.js'
import type { Authenticator } from './auth.js'
import type { EventStream } from './event-stream.js'
import type { GatePolicy, Refusal } from './gate.js'
import { LegacySessions } from './legacy-sessions.js'
import type { Limits } from './limits.js'
import { createMetrics, type MetricsSettings } from './metrics.js'
import { createOutbox } from './outbox.js'
import type { AccessLog, Books, Visit } from './visit.js'

/** Options of an HTTP server. */
export interface HouseRules {
  readonly policy: GatePolicy
  readonly authenticator: Authenticator
  readonly limits: Limits
  readonly maxBodyBytes: number
  /** The path prefix behind a proxy. */
  readonly basePath?: string | undefined
  readonly accessLog?: AccessLog | undefined
  readonly extensions?: HttpExtensions | undefined
  /** False: only the routes of the extensions are served. Default: true. */
  readonly mcp?: boolean | undefined
}

/** What a program adds to the HTTP server of the protocol. */
export interface HttpExtensions {
  /** Opens further routes, such as those of the console. */
  readonly routes?: ((context: House) => ExtraRoutes) | undefined
  /** Serves POSTs that name no revision, and sessions of 2024-11-05. Without it they are served as the protocol says. */
  readonly unversioned?: UnversionedClients | undefined
  /** Prefix of the metric names and version in `build_info`; by default `mcp_` and the version of the server. */
  readonly metrics?: Pick<MetricsSettings, 'prefix' | 'version'> | undefined
  /** Loads the handler of WebSockets. Without it the Upgrade header is ignored. */
  readonly webSockets?: ((context: House) => Promise<WebSockets>) | undefined
}

export interface ExtraRoutes {
  ownsPath(path: string): boolean
  /** Checks a request for one of its paths before authentication. */
  refuse(request: IncomingMessage): Refusal | undefined
  /** Serves a public file; false if the path is not one. */
  servePublic(exchange: Visit, path: string): boolean
  /** Serves an authenticated request for one of its paths. */
  route(exchange: Visit, path: string, withBody: WithBody): void
  /** Called when the server shuts down. */
  endStreams(): void
}

/** Reads the body of a request, or refuses it. */
export type WithBody = (exchange: Visit, next: (body: string) => void, maxBytes?: number) => void

export interface UnversionedClients {
  readonly dialect: Dialect
  post(context: House, exchange: Visit, message: Message, opened?: Session): void
}

export interface WebSockets {
  /** Takes over a connection that asked to be upgraded. */
  accept(request: IncomingMessage, socket: Duplex, head: Buffer, user: string): void
  close(): void
}

export interface House extends Omit<HouseRules, 'accessLog'>, Books {
  readonly extensions: HttpExtensions
  readonly server: Server
  /** Creates a session. */
  converse(caller: Who, options: SessionOptions): Session
  /** Sessions that last as long as a request or a connection. */
  readonly passing: Set<Session>
  readonly sessions: LegacySessions
  /** Open event streams, which get heartbeats. */
  readonly streams: Set<EventStream>
  /** True while the server shuts down. */
  draining: boolean
}

export function openHouse(server: Server, options: HouseRules): House {
  const { policy, authenticator, limits, maxBodyBytes, basePath, accessLog, extensions = {}, mcp } = options
  const converse: House['converse'] = (caller, { revision, outlet, dialect, stateless }) =>
    createSession(server, caller, { revision, outlet, dialect, stateless, onCall: (call) => metrics.called(call) })
  const sessions = new LegacySessions(converse, extensions.unversioned?.dialect)
  const streams = new Set<EventStream>()
  const metrics = createMetrics({
    ...(extensions.metrics ?? { prefix: 'mcp_', version: server.identity.version }),
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

/** All open event streams. */
export function* openStreams({ streams, sessions }: Pick<House, 'streams' | 'sessions'>): Generator<EventStream> {
  yield* streams
  for (const session of sessions) yield* session.streams
}

/** All sessions. */
export function* conversations(context: House): Generator<Session> {
  yield* context.passing
  for (const { session } of context.sessions) yield session
}
