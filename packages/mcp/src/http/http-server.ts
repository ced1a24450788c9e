// Starts the HTTP server, with TLS if there is a certificate, sends heartbeats, and shuts it down. Used by
// serve-http.ts for the library and by the program (start-http.ts). Opens a port. Sets timers.

import type { IncomingMessage } from 'node:http'
import { createServer, type ListenOptions, type Server } from 'node:net'
import type { Duplex } from 'node:stream'

import { bunVersion } from '../runtime.js'
import type { McpServer } from '../server/mcp-server.js'
import { withTimeout } from '../promises.js'
import { limitAnonymousConnections } from './anonymous-connections.js'
import { isStillAuthorized } from './authenticator.js'
import type { EventStream } from './event-stream.js'
import { checkHeaderParameters } from './header-parameters.js'
import {
  allSessions,
  allStreams,
  createHttpContext,
  type HttpContext,
  type HttpContextOptions,
} from './http-context.js'
import {
  type CertificateSource,
  createNodeServer,
  type NodeServer,
  refuseConnection,
  refuseUpgrade,
} from './node-server.js'
import { checkScopeNames } from './refuse-scope.js'
import { createRouter, type Router } from './router.js'
import { createServedUsers, type ServedUsers } from './served-users.js'
import { SseSessions } from './sse-endpoint.js'
import { createUpgradeHandler, type UpgradeHandler, wantsWebSocket, withoutUpgradeHeader } from './upgrade.js'

const GRACE_MS = 4500
const ABORT_MS = 2200
const FLUSH_MS = 300

/**
 * Ends idle streams, gives calls a deadline, then aborts everything. Takes less than the eight seconds that service
 * managers wait.
 */
async function shutDown(
  context: HttpContext,
  nodeServer: NodeServer,
  sse: SseSessions,
  upgrades: UpgradeHandler | undefined,
  router: Router,
): Promise<void> {
  context.isShuttingDown = true
  router.endStreams()
  endIdleStreams(context, sse)
  // Still listening, so that readiness probes get 503.
  await withTimeout(GRACE_MS, whenIdle(context))
  const closed = new Promise((resolve) => nodeServer.http.close(resolve))
  nodeServer.http.closeIdleConnections()
  for (const session of allSessions(context)) session.abort('the server is stopping')
  await withTimeout(ABORT_MS, Promise.all([whenIdle(context), context.server.close()]))
  // Calls that do not stop are answered with an error, so that no client is left with a broken connection.
  for (const session of allSessions(context)) session.answerUnfinished()
  await withTimeout(FLUSH_MS, whenIdle(context))
  sse.close()
  context.sessions.close()
  upgrades?.close()
  // Responses are being flushed; clients that do not read them are disconnected.
  await withTimeout(FLUSH_MS, closed)
  for (const socket of nodeServer.connections) socket.destroy()
  await withTimeout(FLUSH_MS, closed)
  context.metrics.close()
  context.accessLog?.close()
}

/** Ends the streams that carry no call; the others end with their call. */
function endIdleStreams(context: HttpContext, sse: SseSessions): void {
  for (const session of allSessions(context)) session.endSubscriptions()
  for (const { serverStream } of context.sessions) serverStream.end(undefined)
  sse.endIdle()
}

async function whenIdle(context: HttpContext): Promise<void> {
  await Promise.all(Array.from(allSessions(context), (session) => session.whenIdle()))
}

const KEEP_ALIVE_MS = 15_000
/** A client that waits for the port is answered first. */
const PREPARATION_DELAY_MS = 20

export interface HttpServerOptions extends HttpContextOptions {
  readonly host: string
  readonly port: number
  readonly maxConnections: number
  /** A second address of this process, if several share `port`. Not encrypted if it is not secure. */
  readonly ownPort?: { readonly host: string; readonly port: number; readonly isSecure: boolean } | undefined
  readonly certificates?: CertificateSource | undefined
}

export interface HttpListener {
  readonly port: number
  /** The servers of the open sessions, where there are several. */
  serversInUse(): ReadonlySet<McpServer>
  /** Ends the streams and WebSockets whose credential is not valid any more: at once, not with their next heartbeat. */
  endUnauthorized(): void
  /** Accepts no new requests, waits a limited time for those in progress, then aborts them. */
  close(): Promise<void>
  readonly users: ServedUsers
}

export async function startHttpTransport(server: McpServer, options: HttpServerOptions): Promise<HttpListener> {
  const { certificates, port, host, maxConnections } = options
  checkHeaderParameters(server.toolRegistry)
  checkScopeNames(server.toolRegistry)
  const context = createHttpContext(server, options)
  const sse = new SseSessions(context)
  const nodeServer = createNodeServer(certificates, maxConnections, () => context.responseQueue.flush())
  context.anonymousConnections = limitAnonymousConnections(nodeServer.http, maxConnections, (socket) => {
    context.metrics.countRefusal('connections')
    // Before the handshake no response can be sent.
    if (nodeServer.isSecure && !('encrypted' in socket)) socket.destroy()
    else refuseConnection(socket)
    // Without waiting for the client, which may never close its side.
    socket.destroySoon()
  })
  const { webSockets } = context.extensions
  const upgrades = webSockets && createUpgradeHandler(context, webSockets)
  const router = createRouter(context, sse)
  const { handleRequest } = router
  nodeServer.http.on('request', handleRequest).on('checkContinue', handleRequest).on('checkExpectation', handleRequest)
  nodeServer.http.on('drop', () => context.metrics.countRefusal('connections'))
  handleUpgrades(nodeServer, upgrades)
  const ownListener = options.ownPort && (await listenOnOwnPort(nodeServer, options.ownPort))
  await listen(nodeServer.http, { port, host })
  const stopWatching = certificates?.watch((certificate) => nodeServer.setCertificate(certificate))
  // An exception outside of a call must not end the other calls.
  const logUncaught = (error: unknown): void => server.logError(error)
  process.on('uncaughtException', logUncaught)
  const heartbeat = setInterval(() => sendHeartbeats(context), KEEP_ALIVE_MS).unref()
  const preparation = setTimeout(() => {
    context.callPreparation.finish().catch((error: unknown) => server.logError(error))
  }, PREPARATION_DELAY_MS).unref()
  const address = nodeServer.http.address()
  return {
    port: typeof address === 'object' && address ? address.port : port,
    serversInUse() {
      const servers = new Set(Array.from(allSessions(context), (session) => session.server))
      for (const ofSuspended of context.sessions.suspendedServers()) servers.add(ofSuspended)
      return servers
    },
    users: createServedUsers(context, sse, upgrades),
    endUnauthorized() {
      for (const stream of allStreams(context)) endIfUnauthorized(context, stream)
      upgrades?.closeUnauthorized()
    },
    async close() {
      stopWatching?.()
      clearInterval(heartbeat)
      clearTimeout(preparation)
      ownListener?.close()
      await shutDown(context, nodeServer, sse, upgrades, router)
      process.off('uncaughtException', logUncaught)
    },
  }
}

function listen(server: Server, address: ListenOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(address, resolve)
  })
}

/** Passes the connections of another port to the server. `exclusive`: the processes of a cluster share other ports. */
async function listenOnOwnPort(
  { http, isSecure }: NodeServer,
  { host, port, isSecure: isEncrypted }: NonNullable<HttpServerOptions['ownPort']>,
): Promise<Server> {
  const server = createServer((socket) =>
    http.emit(isSecure && !isEncrypted ? 'secureConnection' : 'connection', socket),
  )
  await listen(server, { host, port, exclusive: true })
  return server
}

function handleUpgrades({ http, isSecure }: NodeServer, upgrades: UpgradeHandler | undefined): void {
  http.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    // An upgrade behind an unfinished request on the same connection cannot be handled.
    if ('_httpMessage' in socket && socket._httpMessage) socket.destroy()
    else if (upgrades && wantsWebSocket(request)) upgrades.handleUpgrade(request, socket, head)
    // Bun has discarded the bytes after the headers.
    else if (bunVersion() !== undefined) refuseUpgrade(socket)
    else http.emit(isSecure ? 'secureConnection' : 'connection', withoutUpgradeHeader(request, socket, head))
  })
}

/** Sends heartbeats, and ends streams whose credential was revoked or cannot be checked. */
function sendHeartbeats(context: HttpContext): void {
  for (const stream of allStreams(context)) {
    stream.keepAlive()
    endIfUnauthorized(context, stream)
  }
}

function endIfUnauthorized({ authenticator, server }: HttpContext, stream: EventStream): void {
  isStillAuthorized(authenticator, stream.response.req, stream.user).then(
    (isAuthorized) => !isAuthorized && stream.end(),
    (error: unknown) => {
      server.logError(error)
      stream.end()
    },
  )
}
