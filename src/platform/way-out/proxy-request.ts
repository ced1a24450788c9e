// Passes one plain request through the proxy. Both sides are read and written anew, so nothing that was framed oddly on
// one side arrives so on the other; the Host is that of the URL, whatever was sent.

import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'

import { FetchFailure, type FetchProblem } from './fetch-failure.js'
import { passedHeaders, readAbsolute, type ProxyMeans } from './proxy-target.js'

const MAX_BYTES = 256 * 1024 * 1024
const ANSWER_MS = 60_000

export async function passOn(request: IncomingMessage, response: ServerResponse, means: ProxyMeans): Promise<void> {
  response.on('error', () => {})
  try {
    const url = readAbsolute(request.url ?? '')
    const outgoing = await means.exchange.begin({
      url,
      method: request.method ?? 'GET',
      headers: { ...passedHeaders(request.headersDistinct), ...framing(request) },
    })
    if (response.destroyed) return void outgoing.destroy()
    outgoing.once('socket', (socket) => socket.unref())
    response.once('close', () => outgoing.destroy())
    limit(request, () => outgoing.destroy())
    request.pipe(outgoing)
    passBack(await answerTo(outgoing), response)
  } catch (error) {
    refuse(response, means.note(error))
  }
}

/** Node sends what a GET or DELETE has as a body without any frame, unless told; the next one would take it for a request. */
function framing({ headers }: IncomingMessage): { readonly 'transfer-encoding'?: string } {
  return headers['transfer-encoding'] === undefined ? {} : { 'transfer-encoding': 'chunked' }
}

function answerTo(outgoing: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(new FetchFailure('timeout', `it did not answer within ${ANSWER_MS / 1000} s.`))
      outgoing.destroy()
    }, ANSWER_MS).unref()
    outgoing.on('error', reject)
    outgoing.once('response', (answer) => {
      clearTimeout(timer)
      resolve(answer.on('error', () => {}))
    })
    outgoing.once('close', () => {
      clearTimeout(timer)
      reject(new FetchFailure('broken', 'it hung up without an answer.'))
    })
  })
}

function passBack(answer: IncomingMessage, response: ServerResponse): void {
  if (response.destroyed) return void answer.destroy()
  limit(answer, () => response.destroy())
  // One that was cut off must not look whole.
  answer.once('close', () => answer.complete || response.destroy())
  response.writeHead(answer.statusCode ?? 502, passedHeaders(answer.headersDistinct))
  answer.pipe(response)
}

function limit(source: Readable, stop: () => void): void {
  let size = 0
  source.on('data', (chunk: Buffer) => {
    size += chunk.length
    if (size > MAX_BYTES) stop()
  })
}

function refuse(response: ServerResponse, failure: FetchFailure): void {
  if (response.headersSent) return void response.destroy()
  const { status, reason } = statusOf(failure)
  // A page that is refused must not come from a cache when it is allowed.
  const headers = { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store', connection: 'close' }
  response.writeHead(status, { ...headers, 'proxy-status': `scorpiox-code; error=${reason}` })
  response.end(`${failure.message}\n`)
}

export interface Status {
  readonly status: number
  /** As RFC 9209 says it. */
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
