// Node's HTTP server, held to our manners: whoever dawdles is let go, no header is dropped in silence, what is not even
// HTTP gets a sentence, and every connection is known, so that all of them can be ended.

import {
  createServer as createHttpServer,
  ServerResponse,
  type IncomingMessage,
  type Server as HttpServer,
} from 'node:http'
import { createServer as createHttpsServer, type Server as HttpsServer } from 'node:https'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'

import { Failure } from '../../lib/failure.js'
import { INVALID_REQUEST } from '../../protocol/protocol-error.js'
import { linger } from './linger.js'

/** A request must have come in whole after this long. */
const DAWDLING = {
  headersTimeout: 8000,
  requestTimeout: 12_000,
  connectionsCheckingInterval: 1000,
  keepAliveTimeout: 65_000,
  // Two of a kind arrive as one that nobody serves, instead of the first of them.
  joinDuplicateHeaders: true,
  // The gate has a sentence for those who send none; Node has not.
  requireHostHeader: false,
} as const

/** And the handshake before it; only over TLS is there one. */
const HANDSHAKE = { handshakeTimeout: 8000 } as const

export interface TlsOptions {
  readonly cert: string
  readonly key: string
  readonly minVersion: 'TLSv1.2'
}

export interface Tls {
  readonly options: TlsOptions
  /** Looks at the files from now on; returns how to stop. Give `apply` to `server.setSecureContext`. */
  watch(apply: (options: TlsOptions) => void, pollMs?: number): () => void
}

export interface NodeServer {
  readonly http: HttpServer
  readonly isSecure: boolean
  /** Every one: Node forgets those that were upgraded, and does not know those that have not shaken hands yet. */
  readonly connections: ReadonlySet<Socket>
  /** Uses another certificate for connections that come from now on. */
  secureWith(options: TlsOptions): void
}

/** `beforeBroken` is called before a connection is answered that speaks no HTTP. */
export function createNodeServer(tls: Tls | undefined, maxConnections: number, beforeBroken: () => void): NodeServer {
  const https = tls && createHttpsServer({ ...tls.options, ...DAWDLING, ...HANDSHAKE })
  const http = https ?? createHttpServer(DAWDLING)
  http.maxConnections = maxConnections
  // Their size is bounded; beyond a number of them Node would drop some without a word.
  http.maxHeadersCount = 0
  http.on('clientError', (error: Error & { readonly code?: string }, socket: Duplex) => {
    beforeBroken()
    answerBrokenRequest(error, socket)
  })
  http.on('connect', (_request: IncomingMessage, socket: Duplex) => answerBrokenRequest(NO_TUNNEL, socket))
  // Before the handshake there is nobody to say it to.
  http.on('tlsClientError', (_error: Error, socket: Duplex) => socket.destroy())
  return {
    http,
    isSecure: https !== undefined,
    connections: watchConnections(http),
    secureWith: (options) => https && renew(https, options),
  }
}

function renew(https: HttpsServer, options: TlsOptions): void {
  if (!('setSecureContext' in https)) {
    throw new Failure(
      'This runtime cannot change it while connections are open; restart the server to use the new one.',
    )
  }
  https.setSecureContext(options)
}

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

/** A sentence, if anybody is left to read it. */
function answerBrokenRequest(error: Error & { readonly code?: string }, socket: Duplex): void {
  // In the middle of an answer a sentence would be taken for a part of it.
  const answering = '_httpMessage' in socket ? socket._httpMessage : undefined
  const isAnswering = answering instanceof ServerResponse && (answering.headersSent || answering.req.complete)
  if (error.code === 'ECONNRESET' || !socket.writable || isAnswering) return void socket.destroy()
  const [status, message] = BROKEN[error.code ?? ''] ?? ['400 Bad Request', 'This is not a valid HTTP request']
  const body = JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: INVALID_REQUEST, message } })
  const head = `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close`
  socket.end(`HTTP/1.1 ${status}\r\n${head}\r\n\r\n${body}`)
  linger(socket)
}

/** Where a connection cannot be given back to be read again. */
export function refuseWish(socket: Duplex): void {
  answerBrokenRequest(NO_WISH, socket)
}

const NO_WISH = Object.assign(new Error('Upgrade'), { code: 'UPGRADE' })
const NO_TUNNEL = Object.assign(new Error('CONNECT'), { code: 'CONNECT' })

const BROKEN: Readonly<Record<string, readonly [string, string]>> = {
  UPGRADE: [
    '400 Bad Request',
    'On this runtime a request may not ask for another protocol: leave the Upgrade header out',
  ],
  CONNECT: ['405 Method Not Allowed', 'This is not a proxy; the endpoint is /mcp'],
  HPE_INVALID_EOF_STATE: ['400 Bad Request', 'The body ended before its announced length'],
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'The headers are too large'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request took too long to arrive'],
}
