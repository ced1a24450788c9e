// The HTTP server as a process sees it: it listens, over TLS where there are certificates, closes those who dawdle,
// and ends in order: streams are told, calls get a deadline, then everything stops.

import { createServer as createHttpServer, type IncomingMessage, type Server as HttpServer } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'

import type { Server } from '../../protocol/server.js'
import { createSession } from '../../protocol/session.js'
import type { AccessLog } from './access-log.js'
import type { Authenticator } from './auth.js'
import type { EventStream } from './event-stream.js'
import { openFrontDoor } from './front-door.js'
import type { GatePolicy } from './gate.js'
import type { House } from './house.js'
import { LegacySessions } from './legacy-sessions.js'
import { linger } from './linger.js'
import type { Limits } from './limits.js'
import { createMetrics } from './metrics.js'
import { createOutbox } from './outbox.js'
import { SseSessions } from './sse-endpoint.js'
import type { Tls } from './tls.js'
import { openUpgrades, wantsWebSocket, withoutWish } from './upgrade.js'

// All of it in less than the eight seconds that those who stop a service give it.
const GRACE_MS = 4500
const STOP_MS = 2500
const FLUSH_MS = 300
const KEEP_ALIVE_MS = 15_000

/** A request must have come in whole after this long. */
const DAWDLING = {
  headersTimeout: 8000,
  requestTimeout: 12_000,
  connectionsCheckingInterval: 1000,
  keepAliveTimeout: 65_000,
  // Two of a kind arrive as one that nobody serves, instead of the first of them.
  joinDuplicateHeaders: true,
} as const

/** And the handshake before it; only over TLS is there one. */
const HANDSHAKE = { handshakeTimeout: 8000 } as const

export interface HttpSettings {
  readonly host: string
  readonly port: number
  readonly policy: GatePolicy
  readonly authenticator: Authenticator
  readonly limits: Limits
  readonly maxBodyBytes: number
  readonly maxConnections: number
  readonly tls?: Tls | undefined
  readonly accessLog?: AccessLog | undefined
}

export interface HttpListener {
  readonly port: number
  /** Takes no more requests, lets those in flight finish for a while, then stops them. */
  close(): Promise<void>
}

export async function listenHttp(server: Server, settings: HttpSettings): Promise<HttpListener> {
  const { tls, port, host, maxConnections } = settings
  const house = openHouse(server, settings)
  const sse = new SseSessions(house)
  const door = openFrontDoor(house, sse)
  const http: HttpServer = tls
    ? createHttpsServer({ ...tls.options, ...DAWDLING, ...HANDSHAKE })
    : createHttpServer(DAWDLING)
  http.maxConnections = maxConnections
  // Their size is bounded; beyond a number of them Node would drop some without a word.
  http.maxHeadersCount = 0
  http.on('request', door)
  http.on('checkContinue', door)
  const upgrades = openUpgrades(house)
  http.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    if (wantsWebSocket(request)) upgrades.take(request, socket, head)
    else http.emit(tls ? 'secureConnection' : 'connection', withoutWish(request, socket, head))
  })
  http.on('clientError', (error: Error & { readonly code?: string }, socket: Duplex) => {
    house.outbox.flush()
    answerBrokenRequest(error, socket)
  })
  // Before the handshake there is nobody to say it to.
  http.on('tlsClientError', (_error: Error, socket: Duplex) => socket.destroy())
  const connections = watchConnections(http)
  await new Promise<void>((resolve, reject) => {
    http.once('error', reject)
    http.listen(port, host, resolve)
  })
  const stopWatching = tls?.watch((options) => setContext(http, options))
  const pulse = setInterval(() => keepAlive(house), KEEP_ALIVE_MS).unref()
  // What a tool throws outside of its call must not take the other calls with it.
  const surprised = (error: unknown): void => server.logError(error)
  process.on('uncaughtException', surprised)
  const address = http.address()
  return {
    port: typeof address === 'object' && address ? address.port : port,
    async close() {
      house.draining = true
      stopWatching?.()
      clearInterval(pulse)
      tellStreams(house, sse)
      // Still listening: who asks whether it is ready must be told that it is not.
      await within(GRACE_MS, settled(house))
      const closed = new Promise((resolve) => http.close(resolve))
      http.closeIdleConnections()
      for (const session of conversations(house)) session.abort('the server is stopping')
      await within(STOP_MS, Promise.all([settled(house), server.close()]))
      house.sessions.close()
      upgrades.close()
      // Last words are on their way; those who do not take them are not waited for.
      await within(FLUSH_MS, closed)
      for (const socket of connections) socket.destroy()
      await within(FLUSH_MS, closed)
      house.metrics.close()
      process.off('uncaughtException', surprised)
      settings.accessLog?.close()
    },
  }
}

/** All of them: Node forgets those that were upgraded, and does not know those that have not shaken hands yet. */
function watchConnections(http: HttpServer): ReadonlySet<Socket> {
  const connections = new Set<Socket>()
  http.on('connection', (socket: Socket) => {
    // Given back, a connection comes a second time.
    if (connections.has(socket)) return
    connections.add(socket)
    socket.once('close', () => connections.delete(socket))
  })
  return connections
}

function openHouse(server: Server, settings: HttpSettings): House {
  const converse: House['converse'] = (peer, { revision, outlet, jsonText }) =>
    createSession(server, peer, { revision, outlet, jsonText, onCall: (call) => metrics.called(call) })
  const sessions = new LegacySessions(converse)
  const streams = new Set<EventStream>()
  const passing: House['passing'] = new Set()
  const { policy, authenticator, limits, maxBodyBytes, accessLog } = settings
  const metrics = createMetrics({
    gauges: {
      sessions: () => sessions.size,
      streams: () => streams.size + sessions.streams,
      in_flight: () => limits.open,
    },
    tools: server.catalogue.names(),
  })
  const shared = { policy, authenticator, limits, maxBodyBytes, accessLog, metrics, outbox: createOutbox() }
  return { server, converse, ...shared, sessions, streams, passing, draining: false }
}

function* conversations(house: House) {
  yield* house.passing
  for (const { session } of house.sessions) yield session
}

function within(ms: number, work: Promise<unknown>): Promise<unknown> {
  return Promise.race([work, sleep(ms, undefined, { ref: false })])
}

async function settled(house: House): Promise<void> {
  await Promise.all([...conversations(house)].map((session) => session.settled()))
}

/** Streams that nobody's answer is waited for on end now; those that carry a call end with it. */
function tellStreams(house: House, sse: SseSessions): void {
  for (const session of conversations(house)) session.endListening()
  for (const { standing } of house.sessions) standing.end(undefined)
  void settled(house).then(() => sse.close())
}

function keepAlive({ streams, sessions }: House): void {
  for (const stream of streams) stream.keepAlive()
  for (const session of sessions) session.keepAlive()
}

function setContext(http: HttpServer, options: Tls['options']): void {
  if ('setSecureContext' in http && typeof http.setSecureContext === 'function') http.setSecureContext(options)
}

/** What is not even HTTP gets a sentence too, if anybody is left to read it. */
function answerBrokenRequest(error: Error & { readonly code?: string }, socket: Duplex): void {
  // In the middle of an answer a sentence would be taken for a part of it.
  const isAnswering = '_httpMessage' in socket && socket._httpMessage !== null
  if (error.code === 'ECONNRESET' || !socket.writable || isAnswering) return void socket.destroy()
  const [status, reason] = BROKEN[error.code ?? ''] ?? ['400 Bad Request', 'This is not a valid HTTP request']
  const body = JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32600, message: reason } })
  const head = `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close`
  socket.end(`HTTP/1.1 ${status}\r\n${head}\r\n\r\n${body}`)
  linger(socket)
}

const BROKEN: Readonly<Record<string, readonly [string, string]>> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'The headers are too large'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request took too long to arrive'],
}
