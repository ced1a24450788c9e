// Forwards one plain HTTP request through the checking proxy. Requests and responses are parsed and serialised again,
// so that no ambiguous framing passes through; the Host header is that of the URL.

import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'

import { FetchFailure, type FetchProblem } from './fetch-failure.js'
import { passedHeaders, readAbsolute, type ProxyMeans } from './proxy-target.js'

const MAX_BYTES = 256 * 1024 * 1024
const RESPONSE_TIMEOUT_MS = 60_000

export async function passOn(request: IncomingMessage, response: ServerResponse, deps: ProxyMeans): Promise<void> {
  response.on('error', () => {})
  try {
    const url = readAbsolute(request.url ?? '')
    const outgoing = await deps.exchange.begin({
      url,
      method: request.method ?? 'GET',
      headers: { ...passedHeaders(request.headersDistinct), ...bodyFraming(request) },
    })
    if (response.destroyed) return void outgoing.destroy()
    outgoing.once('socket', (socket) => socket.unref())
    response.once('close', () => outgoing.destroy())
    limitBytes(request, () => outgoing.destroy())
    request.pipe(outgoing)
    forwardResponse(await waitForResponse(outgoing), response)
  } catch (error) {
    sendRefusal(response, deps.note(error))
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
  response.writeHead(upstream.statusCode ?? 502, passedHeaders(upstream.headersDistinct))
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
  const { status, reason } = statusOf(failure)
  // A refused page must not be cached: it may be allowed later.
  const headers = { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store', connection: 'close' }
  response.writeHead(status, { ...headers, 'proxy-status': `scorpiox-code; error=${reason}` })
  response.end(`${failure.message}\n`)
}

interface Status {
  readonly status: number
  /** The error type of RFC 9209. */
  readonly reason: string
}

const STATUSES: Readonly<Partial<Record<FetchProblem, Status>>> = {
  'bad-url': { status: 400, reason: 'http_request_error' },
  refused: { status: 403, reason: 'destination_ip_prohibited' },
  timeout: { status: 504, reason: 'connection_timeout' },
  unresolved: { status: 502, reason: 'dns_error' },
}

export function statusOf({ problem }: FetchFailure): Status {
  return STATUSES[problem] ?? { status: 502, reason: 'destination_unavailable' }
}
