// The response to a POST without a session: JSON, or an event stream if something is sent before the result. When the
// client disconnects, the call is aborted.

import { answerText, Rejection, type Answer } from '../../protocol/message.js'
import type { Outlet } from '../../protocol/outlet.js'
import {
  HEADER_MISMATCH,
  METHOD_NOT_FOUND,
  MISSING_CAPABILITY,
  UNSUPPORTED_VERSION,
} from '../../protocol/protocol-error.js'
import type { Due } from '../../protocol/message.js'
import type { Session } from '../../protocol/session.js'
import type { EventStream } from './event-stream.js'
import type { House } from './house.js'
import { settleWith } from './settle-with.js'
import type { Visit } from './visit.js'

export class LiveAnswer implements Outlet {
  readonly send: ((text: string) => void) | undefined
  #stream: EventStream | undefined

  constructor(
    private readonly context: House,
    private readonly exchange: Visit,
    /** Whether refusals get an HTTP error status; older clients read errors only from a 200. */
    private readonly useErrorStatus = true,
  ) {
    this.send = exchange.accepts('text/event-stream') ? (text) => this.#open().send(text) : undefined
  }

  notify(text: string): void {
    if (this.#stream?.congested) return
    this.send?.(text)
  }

  /** Sends the answer when it is ready; aborts the call if the client disconnects. */
  give(pendingAnswer: Due, session: Session): void {
    if (!(pendingAnswer instanceof Promise)) return this.#finish(pendingAnswer)
    const { context, exchange } = this
    context.passing.add(session)
    exchange.response.on('close', () => {
      context.passing.delete(session)
      session.leave('the client disconnected')
      exchange.lost()
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

  #finish(answer: Answer): void {
    const { exchange } = this
    settleWith(answer, exchange.response)
    if (exchange.response.destroyed) return
    const text = answerText(answer)
    if (this.#stream) {
      if (text !== undefined) this.#stream.send(text)
      return this.#stream.end()
    }
    if (text === undefined) exchange.empty(202)
    else exchange.json(this.useErrorStatus ? statusOf(answer) : 200, text)
  }
}

/** Requests refused before any work get an HTTP error status; a call that failed was still served. */
export function statusOf(answer: Answer): number {
  if (!(answer instanceof Rejection)) return 200
  if (answer.code === METHOD_NOT_FOUND) return answer.early ? 404 : 200
  return answer.early || BAD_REQUEST_CODES.has(answer.code) ? 400 : 200
}

const BAD_REQUEST_CODES: ReadonlySet<number> = new Set([HEADER_MISMATCH, MISSING_CAPABILITY, UNSUPPORTED_VERSION])
