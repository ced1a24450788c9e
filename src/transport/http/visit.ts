// One HTTP request and its single response. Every request is logged and counted exactly once, even if the client
// disconnects.

import type { IncomingMessage, ServerResponse } from 'node:http'

import { INTERNAL_ERROR, INVALID_REQUEST, PARSE_ERROR } from '../../protocol/protocol-error.js'
import type { Caller } from './auth.js'
import { EventStream, oneLine } from './event-stream.js'
import type { Refusal } from './gate.js'
import type { Era, Metrics, RefusalReason } from './metrics.js'
import type { Leaving, Outbox } from './outbox.js'
import { waitForReader } from './patience.js'

export interface Books {
  readonly metrics: Metrics
  readonly accessLog: AccessLog | undefined
  readonly outbox: Outbox
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
  readonly era: Era
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
}

export interface AccessLog {
  finished(request: FinishedRequest): void
  /** Writes what is pending. */
  close(): void
}

export class Visit implements Leaving {
  /** Undefined before authentication. */
  caller: Caller | undefined
  era: Era = 'other'
  rpcMethod = 'none'
  name: string | undefined
  session: string | undefined
  metaTraceparent: unknown
  bytesIn = 0
  /** Called once, when the request has ended. */
  onEnd: (() => void) | undefined
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
    private readonly sinks: Books,
  ) {
    this.#remote = request.socket.remoteAddress
  }

  get user(): string {
    return this.caller?.user ?? ''
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
    this.#respond(200, `event: message\ndata: ${oneLine(body)}\n\n`, 'text/event-stream')
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
    const { response } = this
    const { socket } = this.request
    const bytesBefore = socket.bytesWritten
    response.on('close', () => this.#record(200, socket.bytesWritten - bytesBefore))
    return response.writeHead(200, { 'content-type': type, ...this.headers })
  }

  refuse({ status, reason, headers }: Refusal, kind: RefusalReason): void {
    this.sinks.metrics.refused(kind)
    const code = kind === 'error' ? INTERNAL_ERROR : kind === 'body' ? PARSE_ERROR : INVALID_REQUEST
    const body = JSON.stringify({ jsonrpc: '2.0', id: null, error: { code, message: reason } })
    Object.assign(this.headers, headers)
    this.#respond(status, body, 'application/json')
  }

  /** Records the end of an upgraded connection. */
  upgraded(): void {
    this.#record(101, 0)
  }

  /** Records that the client disconnected before the response. A stream is recorded by its own end. */
  lost(): void {
    if (!this.#status && !this.response.headersSent) this.#record(499, 0)
  }

  giveUp(): void {
    this.response.destroy()
    this.#record(500, 0)
  }

  leave(): void {
    const { response } = this
    if (response.destroyed) return this.#record(499, 0)
    const body = this.#body
    const bytes = Buffer.byteLength(body)
    const headers =
      this.#type === undefined ? this.headers : { 'content-type': this.#type, 'content-length': bytes, ...this.headers }
    response.writeHead(this.#status, headers).end(body)
    if (response.writableLength > 0) waitForReader(response, () => {})
    this.#record(this.#status, bytes)
  }

  /** Only the first response is sent. */
  #respond(status: number, body: string | Buffer, type: string | undefined): void {
    if (this.#status !== 0) return
    this.#status = status
    this.#body = body
    this.#type = type
    this.#runOnEnd()
    this.sinks.outbox.add(this)
  }

  #runOnEnd(): void {
    this.onEnd?.()
    this.onEnd = undefined
  }

  #record(status: number, bytesOut: number): void {
    if (this.#isRecorded) return
    this.#isRecorded = true
    this.#runOnEnd()
    const { request, era, rpcMethod, caller } = this
    const { metrics, accessLog } = this.sinks
    const ms = performance.now() - this.#startedAt
    metrics.answered({ era, method: rpcMethod, status, seconds: ms / 1000 })
    accessLog?.finished({
      at: Date.now() - ms,
      remote: this.#remote,
      user: caller?.user,
      credential: caller?.credential,
      httpMethod: request.method ?? '',
      url: request.url ?? '',
      era,
      rpcMethod: rpcMethod === 'none' ? undefined : rpcMethod,
      name: this.name,
      status,
      bytesIn: this.bytesIn,
      bytesOut,
      ms,
      session: this.session,
      traceparent: request.headers.traceparent,
      metaTraceparent: this.metaTraceparent,
    })
  }
}
