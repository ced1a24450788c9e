// Creates Node's HTTP or HTTPS server, for http-server.ts: request timeouts, no silently dropped headers, a JSON error
// for malformed requests, and a list of all connections for shutdown. Does not listen yet. Closes sockets.

import {
  createServer as createHttpServer,
  type IncomingMessage,
  type Server as HttpServer,
  ServerResponse,
} from 'node:http'
import type { Server as HttpsServer } from 'node:https'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'

import { Failure, INVALID_REQUEST } from '../errors.js'
import { closeAfterDelay } from './connections.js'

/** Timeouts for receiving a request. */
const TIMEOUTS = {
  headersTimeout: 8000,
  requestTimeout: 12_000,
  connectionsCheckingInterval: 1000,
  keepAliveTimeout: 65_000,
  // Duplicate headers are joined, so that they are refused; by default Node uses the first.
  joinDuplicateHeaders: true,
  // The Host check returns a better error than Node does.
  requireHostHeader: false,
} as const

/** The TLS handshake timeout. */
const TLS_TIMEOUTS = { handshakeTimeout: 8000 } as const

export interface TlsOptions {
  readonly cert: string
  readonly key: string
  readonly minVersion: 'TLSv1.2'
}

export interface CertificateSource {
  readonly options: TlsOptions
  /** Watches the files and calls `apply` with a new certificate. Returns a function that stops it. */
  watch(apply: (options: TlsOptions) => void, pollMs?: number): () => void
}

export interface NodeServer {
  readonly http: HttpServer
  readonly isSecure: boolean
  /** All connections. Node does not track upgraded ones, nor those before the TLS handshake. */
  readonly connections: ReadonlySet<Socket>
  /** Sets the certificate for new connections. */
  setCertificate(options: TlsOptions): void
}

/** `beforeMalformed` is called before a malformed request is answered. */
export function createNodeServer(
  certificates: CertificateSource | undefined,
  maxConnections: number,
  beforeMalformed: () => void,
): NodeServer {
  const https = certificates && createHttpsServer(certificates.options)
  const http = https ?? createHttpServer(TIMEOUTS)
  http.maxConnections = maxConnections
  // The total size is limited; above a number of headers Node would drop some silently.
  http.maxHeadersCount = 0
  http.on('clientError', (error: Error & { readonly code?: string }, socket: Duplex) => {
    beforeMalformed()
    answerMalformedRequest(error, socket)
  })
  http.on('connect', (_request: IncomingMessage, socket: Duplex) => answerMalformedRequest(CONNECT_ERROR, socket))
  // Before the handshake no response can be sent.
  http.on('tlsClientError', (_error: Error, socket: Duplex) => socket.destroy())
  return {
    http,
    isSecure: https !== undefined,
    connections: trackConnections(http),
    setCertificate: (options) => https && setSecureContext(https, options),
  }
}

/** Loads node:https, which takes a millisecond, only if there is a certificate. */
function createHttpsServer(options: TlsOptions): HttpsServer {
  return process.getBuiltinModule('node:https').createServer({ ...options, ...TIMEOUTS, ...TLS_TIMEOUTS })
}

function setSecureContext(https: HttpsServer, options: TlsOptions): void {
  if (!('setSecureContext' in https)) {
    throw new Failure(
      'This runtime cannot replace the certificate while it is running; restart the server to use the new one.',
    )
  }
  https.setSecureContext(options)
}

function trackConnections(http: HttpServer): ReadonlySet<Socket> {
  const connections = new Set<Socket>()
  http.on('connection', (socket: Socket) => {
    // A connection that was returned to the server is emitted again.
    if (connections.has(socket)) return
    connections.add(socket)
    socket.once('close', () => connections.delete(socket))
  })
  return connections
}

/** Sends an error response, if the connection is still writable. */
function answerMalformedRequest(error: Error & { readonly code?: string }, socket: Duplex): void {
  // During a response, an error would be read as a part of it.
  const currentResponse = '_httpMessage' in socket ? socket._httpMessage : undefined
  const isResponding =
    currentResponse instanceof ServerResponse && (currentResponse.headersSent || currentResponse.req.complete)
  if (error.code === 'ECONNRESET' || !socket.writable || isResponding) return void socket.destroy()
  const [status, message] = ERRORS_BY_CODE[error.code ?? ''] ?? ['400 Bad Request', 'This is not a valid HTTP request']
  const body = JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: INVALID_REQUEST, message } })
  const head = `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close`
  socket.end(`HTTP/1.1 ${status}\r\n${head}\r\n\r\n${body}`)
  closeAfterDelay(socket)
}

/** For runtimes where the connection cannot be parsed again. */
export function refuseUpgrade(socket: Duplex): void {
  answerMalformedRequest(UPGRADE_ERROR, socket)
}

/** For a connection that exceeds the limit of those without a credential. */
export function refuseConnection(socket: Duplex): void {
  answerMalformedRequest(CONNECTIONS_ERROR, socket)
}

const UPGRADE_ERROR = Object.assign(new Error('Upgrade'), { code: 'UPGRADE' })
const CONNECT_ERROR = Object.assign(new Error('CONNECT'), { code: 'CONNECT' })

const CONNECTIONS_ERROR = Object.assign(new Error('too many connections'), { code: 'CONNECTIONS' })

const ERRORS_BY_CODE: Readonly<Record<string, readonly [string, string]>> = {
  UPGRADE: ['400 Bad Request', 'Upgrade is not supported on this runtime: remove the Upgrade header'],
  CONNECTIONS: [
    '503 Service Unavailable',
    'This address has too many open connections without a credential: close some, or send the credential',
  ],
  CONNECT: ['405 Method Not Allowed', 'This is not a proxy; the endpoint is /mcp'],
  HPE_INVALID_EOF_STATE: ['400 Bad Request', 'The body ended before its announced length'],
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'The headers are too large'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request took too long to arrive'],
}
