// One HTTP request and its single response. Every request is logged and counted exactly once, even if the client
// disconnects. Created by router.ts and upgrade.ts for each request and passed to all handlers. Writes the response,
// the access log and the metrics.

import type { IncomingMessage, ServerResponse } from 'node:http'

import type { AuthContext } from '../definitions/auth-context.js'
import { INTERNAL_ERROR, INVALID_REQUEST, PARSE_ERROR } from '../errors.js'
import { type JsonRpcAnswer, TrackedAnswer } from '../jsonrpc/message.js'
import type { McpServer } from '../server/mcp-server.js'
import { type Principal, toAuthContext } from './authenticator.js'
import { dropSlowReader } from './connections.js'
import { escapeLineBreaks, EventStream } from './event-stream.js'
import type { Refusal } from './host-policy.js'
import type { HttpProtocol, Metrics, RefusalReason } from './metrics.js'
import type { MemoryHold } from './rate-limits.js'
import type { ForwardedRequest } from './request-placement.js'

export interface QueuedResponse {
  writeResponse(): void
  /** Called if writing failed: closes the connection. */
  abortResponse(): void
}

export interface ResponseQueue {
  add(response: QueuedResponse): void
  /** Writes them now. */
  flush(): void
}

/**
 * Writes the responses of one event loop turn together at its end, which costs a fifth less than alternating between
 * reading and writing.
 */
export function createResponseQueue(onError: (error: unknown) => void): ResponseQueue {
  let queued: QueuedResponse[] = []
  const flush = (): void => {
    const batch = queued
    queued = []
    for (const response of batch) {
      try {
        response.writeResponse()
      } catch (error) {
        // One failed response must not affect the others.
        onError(error)
        response.abortResponse()
      }
    }
  }
  return {
    add(response) {
      if (queued.push(response) === 1) setImmediate(flush)
    },
    flush,
  }
}

export interface RequestSinks {
  readonly metrics: Metrics
  readonly accessLog: AccessLog | undefined
  readonly responseQueue: ResponseQueue
}

export interface FinishedRequest {
  /** When the request arrived, in milliseconds since 1970. */
  readonly at: number
  readonly remote: string | undefined
  readonly user: string | undefined
  /** The id of the credential, never the secret. */
  readonly credential: string | undefined
  readonly httpMethod: string
  /** As in the request; the query is not logged. */
  readonly url: string
  readonly protocol: HttpProtocol
  readonly rpcMethod: string | undefined
  /** The requested tool, resource or prompt. */
  readonly name: string | undefined
  readonly status: number
  readonly bytesIn: number
  readonly bytesOut: number
  readonly ms: number
  readonly session: string | undefined
  /** The `traceparent` header and `_meta.traceparent`; the first valid one is used. */
  readonly traceparent: unknown
  readonly metaTraceparent: unknown
  /** The machine that has answered it, if it was not this one. */
  readonly forwardedTo: string | undefined
}

export interface AccessLog {
  logRequest(request: FinishedRequest): void
  /** Writes what is pending. */
  close(): void
}

export class HttpExchange implements QueuedResponse {
  /** Undefined before authentication. */
  principal: Principal | undefined
  /** Where there are several servers, the one of this request. */
  server: McpServer | undefined
  protocol: HttpProtocol = 'other'
  rpcMethod = 'none'
  name: string | undefined
  session: string | undefined
  metaTraceparent: unknown
  bytesIn = 0
  /** Set if another machine has forwarded it. */
  forwarded: ForwardedRequest | undefined
  /** The name of the machine that answers it, if it is not this one. */
  forwardedTo: string | undefined
  /** The body, if it was read before the request was routed. */
  receivedBody: string | undefined
  /** Called once, when the request has ended. */
  onEnd: (() => void) | undefined
  /** The memory of the body, released when the request has ended. */
  memory: MemoryHold | undefined
  /** Headers of every response: CORS, and the id of a new session. */
  readonly headers: Record<string, string> = {}
  readonly #startedAt = performance.now()
  // Read now: a closed connection does not know its address.
  readonly #remote: string | undefined
  #isRecorded = false
  #status = 0
  #body: string | Buffer = ''
  #type: string | undefined

  constructor(
    readonly request: IncomingMessage,
    readonly response: ServerResponse,
    private readonly sinks: RequestSinks,
  ) {
    this.#remote = request.socket.remoteAddress
  }

  /** The address of the client. */
  get remote(): string | undefined {
    return this.forwarded?.clientAddress ?? this.#remote
  }

  get user(): string {
    return this.principal?.user ?? ''
  }

  /** What tools see of the authentication. */
  get auth(): AuthContext<unknown> | undefined {
    return toAuthContext(this.principal)
  }

  /** Whether the client accepts this type; without an Accept header it accepts any. */
  accepts(type: 'application/json' | 'text/event-stream'): boolean {
    const { accept } = this.request.headers
    return (
      accept === undefined ||
      accept.includes(type) ||
      accept.includes('*/*') ||
      accept.includes(`${type.split('/')[0]}/*`)
    )
  }

  json(status: number, body: string): void {
    this.#respond(status, body, 'application/json')
  }

  text(status: number, body: string | Buffer, type: string): void {
    this.#respond(status, body, type)
  }

  empty(status: number): void {
    this.#respond(status, '', undefined)
  }

  /** Responds with one message as a server-sent event. */
  event(body: string): void {
    this.#respond(200, `event: message\ndata: ${escapeLineBreaks(body)}\n\n`, 'text/event-stream')
  }

  /** Responds with an event stream, which is recorded when it ends. */
  stream(): EventStream {
    const { response } = this
    // Stored, because an ended response does not know its connection.
    const { socket } = this.request
    const bytesBefore = socket.bytesWritten
    response.on('close', () => this.#record(200, socket.bytesWritten - bytesBefore))
    return new EventStream(response, this.user, this.headers)
  }

  /** Responds with a body of unknown length, which is recorded when it ends. */
  download(type: string): ServerResponse {
    return this.startResponse(200, { 'content-type': type })
  }

  /** Sends status and headers; the response is recorded when it ends. */
  startResponse(status: number, headers: Readonly<Record<string, string | readonly string[]>>): ServerResponse {
    const { response } = this
    const { socket } = this.request
    const bytesBefore = socket.bytesWritten
    response.on('close', () => this.#record(status, socket.bytesWritten - bytesBefore))
    // Those of the caller last: a route may set headers of its own.
    for (const [name, value] of Object.entries({ ...this.headers, ...headers })) response.setHeader(name, value)
    return response.writeHead(status)
  }

  refuse({ status, reason, headers }: Refusal, kind: RefusalReason): void {
    this.sinks.metrics.countRefusal(kind)
    const code = kind === 'error' ? INTERNAL_ERROR : kind === 'body' ? PARSE_ERROR : INVALID_REQUEST
    const body = JSON.stringify({ jsonrpc: '2.0', id: null, error: { code, message: reason } })
    Object.assign(this.headers, headers)
    this.#respond(status, body, 'application/json')
  }

  /** Records an answer that was written without this class. */
  recordAnswer(status: number, bytesOut: number): void {
    this.#record(status, bytesOut)
  }

  /** Records the end of an upgraded connection. */
  recordUpgrade(): void {
    this.#record(101, 0)
  }

  /** Records that the client disconnected before the response. A stream is recorded by its own end. */
  clientClosed(): void {
    if (!this.#status && !this.response.headersSent) this.#record(499, 0)
  }

  abortResponse(): void {
    this.response.destroy()
    this.#record(500, 0)
  }

  writeResponse(): void {
    const { response } = this
    if (response.destroyed) return this.#record(499, 0)
    const body = this.#body
    const bytes = Buffer.byteLength(body)
    const headers =
      this.#type === undefined ? this.headers : { 'content-type': this.#type, 'content-length': bytes, ...this.headers }
    response.writeHead(this.#status, headers).end(body)
    if (response.writableLength > 0) dropSlowReader(response, () => {})
    this.#record(this.#status, bytes)
  }

  /** Only the first response is sent. */
  #respond(status: number, body: string | Buffer, type: string | undefined): void {
    if (this.#status !== 0) return
    this.#status = status
    this.#body = body
    this.#type = type
    this.#runOnEnd()
    this.sinks.responseQueue.add(this)
  }

  /** Counts the memory of the body until the work is done, because it continues without this request. */
  holdMemoryUntil(work: Promise<unknown>): void {
    const { memory } = this
    this.memory = undefined
    const release = (): void => memory?.release()
    work.then(release, release)
  }

  #runOnEnd(): void {
    this.onEnd?.()
    this.onEnd = undefined
    this.memory?.release()
  }

  #record(status: number, bytesOut: number): void {
    if (this.#isRecorded) return
    this.#isRecorded = true
    this.#runOnEnd()
    const { request, protocol, rpcMethod, principal } = this
    const { metrics, accessLog } = this.sinks
    const ms = performance.now() - this.#startedAt
    metrics.countRequest({ era: protocol, method: rpcMethod, status, seconds: ms / 1000 })
    accessLog?.logRequest({
      at: Date.now() - ms,
      remote: this.remote,
      user: principal?.user,
      credential: principal?.credentialId,
      httpMethod: request.method ?? '',
      url: request.url ?? '',
      protocol,
      rpcMethod: rpcMethod === 'none' ? undefined : rpcMethod,
      name: this.name,
      status,
      bytesIn: this.bytesIn,
      bytesOut,
      ms,
      session: this.session,
      traceparent: request.headers.traceparent,
      metaTraceparent: this.metaTraceparent,
      forwardedTo: this.forwardedTo,
    })
  }
}

export function refuseMethod(exchange: HttpExchange, allow: string): void {
  exchange.refuse({ status: 405, reason: `This path takes ${allow}`, headers: { allow } }, 'method')
}

/**
 * Reports whether an answer was written: when the response finishes, or closes before that. Must be called before the
 * answer is passed to the response.
 */
export function reportWhenWritten(answer: JsonRpcAnswer, response: ServerResponse | undefined): void {
  if (!(answer instanceof TrackedAnswer)) return
  if (!response || response.destroyed) return answer.reportWritten(false)
  response.once('finish', () => answer.reportWritten(true))
  response.once('close', () => answer.reportWritten(false))
}
