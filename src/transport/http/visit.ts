// One HTTP request on its way through the house: who it is, what it asks, and its one answer. Every visit ends in one
// line of the access log and one count, whatever became of it.

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
  /** The id of the token or key that was presented, never the thing itself. */
  readonly credential: string | undefined
  readonly httpMethod: string
  /** As it stood in the request; what follows a question mark is not logged. */
  readonly url: string
  readonly era: Era
  readonly rpcMethod: string | undefined
  /** The tool, resource or prompt that was asked for. */
  readonly name: string | undefined
  readonly status: number
  readonly bytesIn: number
  readonly bytesOut: number
  readonly ms: number
  readonly session: string | undefined
  /** The `traceparent` header, and the `_meta.traceparent` of the message: the first valid one names the trace. */
  readonly traceparent: unknown
  readonly metaTraceparent: unknown
}

export interface AccessLog {
  finished(request: FinishedRequest): void
  /** Hands on what is still pending. */
  close(): void
}

export class Visit implements Leaving {
  /** Nobody until the gate knows. */
  caller: Caller | undefined
  era: Era = 'other'
  rpcMethod = 'none'
  name: string | undefined
  session: string | undefined
  metaTraceparent: unknown
  bytesIn = 0
  /** Called once, when nothing is worked on for it any more. */
  onEnd: (() => void) | undefined
  /** Sent with every answer: what a browser must see, and the id of a new session. */
  readonly headers: Record<string, string> = {}
  readonly #startedAt = performance.now()
  // Asked for now: a connection that has ended no longer knows.
  readonly #remote: string | undefined
  #booked = false
  #status = 0
  #body: string | Buffer = ''
  #type: string | undefined

  constructor(
    readonly request: IncomingMessage,
    readonly response: ServerResponse,
    private readonly books: Books,
  ) {
    this.#remote = request.socket.remoteAddress
  }

  get user(): string {
    return this.caller?.user ?? ''
  }

  /** Whether the client takes an answer of this type; one that does not say takes anything. */
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
    this.#answer(status, body, 'application/json')
  }

  text(status: number, body: string | Buffer, type: string): void {
    this.#answer(status, body, type)
  }

  empty(status: number): void {
    this.#answer(status, '', undefined)
  }

  /** One message and the end, framed as an event. */
  event(body: string): void {
    this.#answer(200, `event: message\ndata: ${oneLine(body)}\n\n`, 'text/event-stream')
  }

  /** An answer that goes on; it is booked when it ends. */
  stream(): EventStream {
    const { response } = this
    // Kept: once it has ended, a response no longer knows its connection.
    const { socket } = this.request
    const sentBefore = socket.bytesWritten
    response.on('close', () => this.#book(200, socket.bytesWritten - sentBefore))
    return new EventStream(response, this.user, this.headers)
  }

  /** A body whose length is not known; it is booked when it ends. */
  download(type: string): ServerResponse {
    const { response } = this
    const { socket } = this.request
    const sentBefore = socket.bytesWritten
    response.on('close', () => this.#book(200, socket.bytesWritten - sentBefore))
    return response.writeHead(200, { 'content-type': type, ...this.headers })
  }

  refuse({ status, reason, headers }: Refusal, kind: RefusalReason): void {
    this.books.metrics.refused(kind)
    const code = kind === 'error' ? INTERNAL_ERROR : kind === 'body' ? PARSE_ERROR : INVALID_REQUEST
    const body = JSON.stringify({ jsonrpc: '2.0', id: null, error: { code, message: reason } })
    Object.assign(this.headers, headers)
    this.#answer(status, body, 'application/json')
  }

  /** The connection became something else, and that is over now. */
  upgraded(): void {
    this.#book(101, 0)
  }

  /** The client went before there was an answer. A stream that was begun is booked by its own end. */
  lost(): void {
    if (!this.#status && !this.response.headersSent) this.#book(499, 0)
  }

  giveUp(): void {
    this.response.destroy()
    this.#book(500, 0)
  }

  leave(): void {
    const { response } = this
    if (response.destroyed) return this.#book(499, 0)
    const body = this.#body
    const bytes = Buffer.byteLength(body)
    const headers =
      this.#type === undefined ? this.headers : { 'content-type': this.#type, 'content-length': bytes, ...this.headers }
    response.writeHead(this.#status, headers).end(body)
    if (response.writableLength > 0) waitForReader(response, () => {})
    this.#book(this.#status, bytes)
  }

  /** The first answer counts. */
  #answer(status: number, body: string | Buffer, type: string | undefined): void {
    if (this.#status !== 0) return
    this.#status = status
    this.#body = body
    this.#type = type
    this.#finish()
    this.books.outbox.add(this)
  }

  #finish(): void {
    this.onEnd?.()
    this.onEnd = undefined
  }

  #book(status: number, bytesOut: number): void {
    if (this.#booked) return
    this.#booked = true
    this.#finish()
    const { request, era, rpcMethod, caller } = this
    const { metrics, accessLog } = this.books
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
