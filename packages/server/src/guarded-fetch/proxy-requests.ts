// Forwards one plain HTTP request through the checking proxy, and parses the request targets of all its requests: hosts
// are checked in their normalised form, never as they were sent. Used by checking-proxy. Opens sockets; sets timers.

import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex, Readable } from 'node:stream'

import type { Connector } from './connector.js'
import { FetchFailure, type FetchFailureKind } from './fetch-failure.js'
import type { HttpClient } from './http-client.js'
import { type Destination, parseWebUrl, toDestination } from './web-url.js'

export interface ProxyDeps {
  readonly connector: Connector
  readonly httpClient: HttpClient
  /** Closes the socket when the proxy closes; until then it does not keep the process alive. */
  readonly trackSocket: <T extends Duplex>(socket: T) => T
  /** Converts an error to a FetchFailure and remembers refusals. */
  readonly recordRefusal: (error: unknown) => FetchFailure
}

/** The target of a request that is not a tunnel: an absolute URL, as proxies require. */
export function parseAbsoluteUrl(target: string): URL {
  if (/^http:\/\//i.test(target)) return parseWebUrl(target)
  throw new FetchFailure('bad-url', 'a proxy request needs an absolute http URL, or CONNECT.')
}

export function parseAuthority(target: string): Destination {
  const [, host = '', port = ''] = /^(\[[\da-f:.]+\]|[^\s:/?#@[\]\\]+):(\d{1,5})$/i.exec(target) ?? []
  if (host === '') throw new FetchFailure('bad-url', 'CONNECT needs a host and a port.')
  // Parsed as https, because port 80 would be dropped from an http URL; only the host and the port are used.
  return toDestination(parseWebUrl(`https://${host}:${port}`))
}

/** Headers of one connection, which must not be forwarded. */
const HOP_BY_HOP = new Set([
  'connection',
  'expect',
  'host',
  'http2-settings',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

export function endToEndHeaders(headers: NodeJS.Dict<string[]>): Record<string, string[]> {
  const connectionHeaders = new Set<string>(
    (headers.connection ?? []).flatMap((value) => value.toLowerCase().split(/[\s,]+/)),
  )
  // The length of the body must be forwarded even if Connection names it.
  connectionHeaders.delete('content-length')
  const forwarded = Object.entries(headers).flatMap(([name, values]) => {
    const isForwarded = values && !HOP_BY_HOP.has(name) && !name.startsWith('proxy-') && !connectionHeaders.has(name)
    return isForwarded ? [[name, values] as const] : []
  })
  return Object.fromEntries(forwarded)
}

const MAX_BYTES = 256 * 1024 * 1024
const RESPONSE_TIMEOUT_MS = 60_000

/**
 * Requests and responses are parsed and serialised again, so that no ambiguous framing passes through; the Host header
 * is that of the URL.
 */
export async function forwardRequest(
  request: IncomingMessage,
  response: ServerResponse,
  deps: ProxyDeps,
): Promise<void> {
  response.on('error', () => {})
  try {
    const url = parseAbsoluteUrl(request.url ?? '')
    const outgoing = await deps.httpClient.openRequest({
      url,
      method: request.method ?? 'GET',
      headers: { ...endToEndHeaders(request.headersDistinct), ...bodyFraming(request) },
    })
    if (response.destroyed) return void outgoing.destroy()
    outgoing.once('socket', (socket) => socket.unref())
    response.once('close', () => outgoing.destroy())
    limitBytes(request, () => outgoing.destroy())
    request.pipe(outgoing)
    forwardResponse(await waitForResponse(outgoing), response)
  } catch (error) {
    sendRefusal(response, deps.recordRefusal(error))
  }
}

/**
 * By default Node.js sends the body of a GET or DELETE without framing, and the next server would read it as a request.
 */
function bodyFraming({ headers }: IncomingMessage): { readonly 'transfer-encoding'?: string } {
  return headers['transfer-encoding'] === undefined ? {} : { 'transfer-encoding': 'chunked' }
}

function waitForResponse(outgoing: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(new FetchFailure('timeout', `it did not answer within ${RESPONSE_TIMEOUT_MS / 1000} s.`))
      outgoing.destroy()
    }, RESPONSE_TIMEOUT_MS).unref()
    outgoing.on('error', reject)
    outgoing.once('response', (response) => {
      clearTimeout(timer)
      resolve(response.on('error', () => {}))
    })
    outgoing.once('close', () => {
      clearTimeout(timer)
      reject(new FetchFailure('broken', 'it closed the connection without a response.'))
    })
  })
}

function forwardResponse(upstream: IncomingMessage, response: ServerResponse): void {
  if (response.destroyed) return void upstream.destroy()
  limitBytes(upstream, () => response.destroy())
  // A response that was cut off must not look complete.
  upstream.once('close', () => upstream.complete || response.destroy())
  response.writeHead(upstream.statusCode ?? 502, endToEndHeaders(upstream.headersDistinct))
  upstream.pipe(response)
}

function limitBytes(source: Readable, stop: () => void): void {
  let size = 0
  source.on('data', (chunk: Buffer) => {
    size += chunk.length
    if (size > MAX_BYTES) stop()
  })
}

function sendRefusal(response: ServerResponse, failure: FetchFailure): void {
  if (response.headersSent) return void response.destroy()
  const { status, reason } = proxyStatusFor(failure)
  // A refused page must not be cached: it may be allowed later.
  const headers = { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store', connection: 'close' }
  response.writeHead(status, { ...headers, 'proxy-status': `scorpiox-code; error=${reason}` })
  response.end(`${failure.message}\n`)
}

interface ProxyStatus {
  readonly status: number
  /** The error type of RFC 9209. */
  readonly reason: string
}

const STATUSES: Readonly<Partial<Record<FetchFailureKind, ProxyStatus>>> = {
  'bad-url': { status: 400, reason: 'http_request_error' },
  refused: { status: 403, reason: 'destination_ip_prohibited' },
  timeout: { status: 504, reason: 'connection_timeout' },
  unresolved: { status: 502, reason: 'dns_error' },
}

export function proxyStatusFor({ kind }: FetchFailure): ProxyStatus {
  return STATUSES[kind] ?? { status: 502, reason: 'destination_unavailable' }
}
