// State shared by all requests of one HTTP server (sessions, streams, limits, metrics), its options, and the interface
// by which a program extends the server. Created by http-server.ts. In memory only.

import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'

import type { Caller } from '../definitions/caller.js'
import type { JsonRpcMessage } from '../jsonrpc/message.js'
import type { ToolCallFormat } from '../revisions/client-profile.js'
import type { McpServer } from '../server/mcp-server.js'
import { createSession, type Session, type SessionOptions } from '../session/session.js'
import type { AnonymousConnections } from './anonymous-connections.js'
import type { Authenticator, Principal } from './authenticator.js'
import { type CallPreparation, createCallPreparation } from './call-preparation.js'
import type { EventStream } from './event-stream.js'
import type { HostPolicy, Refusal } from './host-policy.js'
import { type AccessLog, createResponseQueue, type HttpExchange, type RequestSinks } from './http-exchange.js'
import { HttpSessions } from './http-sessions.js'
import { createMetrics, type MetricsOptions } from './metrics.js'
import type { RateLimits } from './rate-limits.js'
import type { RequestPlacement } from './request-placement.js'
import type { HttpSessionStore } from './session-store.js'
import { createTurnShares, type TurnShares } from './turn-shares.js'

/** Options of an HTTP server. */
export interface HttpContextOptions {
  readonly hostPolicy: HostPolicy
  readonly authenticator: Authenticator
  readonly rateLimits: RateLimits
  readonly maxBodyBytes: number
  /** The path prefix behind a proxy. */
  readonly basePath?: string | undefined
  readonly accessLog?: AccessLog | undefined
  readonly extensions?: HttpExtensions | undefined
  /** Chooses the server of a request where there are several, or refuses it. By default there is one. */
  readonly serverFor?: ((principal: Principal) => McpServer | Refusal) | undefined
  /** False: only the routes of the extensions are served. Default: true. */
  readonly servesMcp?: boolean | undefined
}

/** What a program adds to the HTTP server of the protocol. */
export interface HttpExtensions {
  /** Opens further routes, such as those of the console. */
  readonly routes?: ((context: HttpContext) => ExtraRoutes) | undefined
  /** Serves POSTs that name no revision, and sessions of 2024-11-05. Without it they are served as the protocol says. */
  readonly unversioned?: UnversionedClients | undefined
  /** Prefix of the metric names and version in `build_info`; by default `mcp_` and the version of the server. */
  readonly metrics?: Pick<MetricsOptions, 'prefix' | 'version' | 'labels'> | undefined
  /** Spreads users over several machines. Without it every request is served here. */
  readonly placement?: RequestPlacement | undefined
  /** Where legacy sessions are stored, so that another server can continue them. Without it they end with the server. */
  readonly sessionStore?: HttpSessionStore | undefined
  /** Loads the handler of WebSockets. Without it the Upgrade header is ignored. */
  readonly webSockets?: ((context: HttpContext) => Promise<WebSockets>) | undefined
}

export interface ExtraRoutes {
  ownsPath(path: string): boolean
  /** Checks a request for one of its paths before authentication. */
  refuse(request: IncomingMessage): Refusal | undefined
  /** Serves a public file; false if the path is not one. */
  servePublic(exchange: HttpExchange, path: string): boolean
  /** Serves an authenticated request for one of its paths. */
  route(exchange: HttpExchange, path: string, withBody: WithBody): void
  /** Called when the server shuts down. */
  endStreams(): void
}

/** Reads the body of a request, or refuses it. */
export type WithBody = (exchange: HttpExchange, next: BodyHandler, maxBytes?: number) => void

/** Receives a body, and the number of its values if they were counted. */
export type BodyHandler = (body: string, values?: number) => void

export interface UnversionedClients {
  readonly dialect: ToolCallFormat
  post(context: HttpContext, exchange: HttpExchange, message: JsonRpcMessage, opened?: Session): void
}

export interface WebSockets {
  /** Takes over the connection of a request that asked to be upgraded. */
  accept(exchange: HttpExchange, socket: Duplex, head: Buffer): void
  /** Closes those of one user. `isBusy`: calls were in progress. */
  closeUser(user: string, isBusy: boolean): void
  /** Closes those whose request fits as soon as no call is in progress. */
  closeWhenIdle(fits: (request: IncomingMessage) => boolean): void
  /** Closes those whose credential is not valid any more. */
  closeUnauthorized(): void
  close(): void
}

export interface HttpSessionOptions extends SessionOptions {
  /** The server of the request; undefined if there is one for all. */
  readonly server: McpServer | undefined
}

export interface HttpContext extends Omit<HttpContextOptions, 'accessLog'>, RequestSinks {
  readonly extensions: HttpExtensions
  readonly turnShares: TurnShares
  readonly callPreparation: CallPreparation
  readonly server: McpServer
  /** Creates a session. */
  createSession(caller: Caller, options: HttpSessionOptions): Session
  /** Sessions that last as long as a request or a connection. */
  readonly transientSessions: Set<Session>
  readonly sessions: HttpSessions
  /** Connections without an accepted credential; set when the server listens. */
  anonymousConnections: AnonymousConnections | undefined
  /** Open event streams, which get heartbeats. */
  readonly streams: Set<EventStream>
  /** True while the server shuts down. */
  isShuttingDown: boolean
}

export function createHttpContext(server: McpServer, options: HttpContextOptions): HttpContext {
  const {
    hostPolicy,
    authenticator,
    rateLimits,
    maxBodyBytes,
    basePath,
    accessLog,
    extensions = {},
    serverFor,
    servesMcp,
  } = options
  // One function and no copies of objects with a rest: each request without a session creates one.
  const onCall: SessionOptions['onCall'] = (call) => metrics.countToolCall(call)
  const converse: HttpContext['createSession'] = (caller, session) =>
    createSession(session.server ?? server, caller, { ...session, onCall })
  const sessions = new HttpSessions(converse, extensions.unversioned?.dialect, extensions.sessionStore)
  const streams = new Set<EventStream>()
  const metrics = createMetrics({
    ...(extensions.metrics ?? { prefix: 'mcp_', version: server.identity.version }),
    gauges: {
      sessions: () => sessions.size,
      streams: () => [...allStreams({ streams, sessions })].length,
      in_flight: () => rateLimits.openCount,
    },
    tools: server.toolRegistry.names(),
  })
  return {
    server,
    hostPolicy,
    authenticator,
    rateLimits,
    maxBodyBytes,
    basePath,
    accessLog,
    extensions,
    serverFor,
    servesMcp,
    createSession: converse,
    turnShares: createTurnShares(),
    callPreparation: createCallPreparation(),
    metrics,
    responseQueue: createResponseQueue((error) => server.logError(error)),
    sessions,
    streams,
    transientSessions: new Set(),
    anonymousConnections: undefined,
    isShuttingDown: false,
  }
}

/** All open event streams. */
export function* allStreams({ streams, sessions }: Pick<HttpContext, 'streams' | 'sessions'>): Generator<EventStream> {
  yield* streams
  for (const session of sessions) yield* session.connections
}

/** All sessions. */
export function* allSessions(context: HttpContext): Generator<Session> {
  yield* context.transientSessions
  for (const { session } of context.sessions) yield session
}
