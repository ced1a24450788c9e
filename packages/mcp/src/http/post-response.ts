// Sends the response to a POST without a session, of either protocol: JSON, or an event stream if something is sent
// before the result. When the client disconnects, the call is aborted. Used by legacy-post and modern-post.

import { HEADER_MISMATCH, METHOD_NOT_FOUND, MISSING_CAPABILITY, UNSUPPORTED_VERSION } from '../errors.js'
import {
  ErrorAnswer,
  getAnswerText,
  type JsonRpcAnswer,
  type MessageSink,
  type PendingAnswer,
} from '../jsonrpc/message.js'
import type { Session } from '../session/session.js'
import type { EventStream } from './event-stream.js'
import type { HttpContext } from './http-context.js'
import { type HttpExchange, reportWhenWritten } from './http-exchange.js'

export class PostResponse implements MessageSink {
  readonly send: ((text: string) => void) | undefined
  #stream: EventStream | undefined

  constructor(
    private readonly context: HttpContext,
    private readonly exchange: HttpExchange,
    /** Whether refusals get an HTTP error status; older clients read errors only from a 200. */
    private readonly useErrorStatus = true,
  ) {
    this.send = exchange.accepts('text/event-stream') ? (text) => this.#open().send(text) : undefined
  }

  notify(text: string): void {
    if (this.#stream?.isBackedUp) return
    this.send?.(text)
  }

  /** Sends the answer when it is ready; aborts the call if the client disconnects. */
  respond(pendingAnswer: PendingAnswer, session: Session): void {
    if (!(pendingAnswer instanceof Promise)) return this.#finish(pendingAnswer)
    const { context, exchange } = this
    context.transientSessions.add(session)
    exchange.response.on('close', () => {
      context.transientSessions.delete(session)
      session.disconnect('the client disconnected')
      exchange.clientClosed()
    })
    void pendingAnswer.then((answer) => this.#finish(answer))
  }

  #open(): EventStream {
    if (this.#stream) return this.#stream
    const stream = this.exchange.stream()
    const { streams } = this.context
    streams.add(stream)
    stream.response.on('close', () => streams.delete(stream))
    return (this.#stream = stream)
  }

  #finish(answer: JsonRpcAnswer): void {
    const { exchange } = this
    reportWhenWritten(answer, exchange.response)
    if (exchange.response.destroyed) return
    const text = getAnswerText(answer)
    if (this.#stream) {
      if (text !== undefined) this.#stream.send(text)
      return this.#stream.end()
    }
    if (text === undefined) exchange.empty(202)
    else exchange.json(this.useErrorStatus ? httpStatusOf(answer) : 200, text)
  }
}

/** Requests refused before any work get an HTTP error status; a call that failed was still served. */
export function httpStatusOf(answer: JsonRpcAnswer): number {
  if (!(answer instanceof ErrorAnswer)) return 200
  if (answer.code === METHOD_NOT_FOUND) return answer.beforeWork ? 404 : 200
  return answer.beforeWork || BAD_REQUEST_CODES.has(answer.code) ? 400 : 200
}

const BAD_REQUEST_CODES: ReadonlySet<number> = new Set([HEADER_MISMATCH, MISSING_CAPABILITY, UNSUPPORTED_VERSION])
