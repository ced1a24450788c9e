// The running requests of one session: starts, aborts, cancels and answers each of them once. Work that completes
// synchronously is answered without a promise.

import type { Exchange } from './exchange.js'
import type { Outcome, Ticket } from './live-ticket.js'
import { errorText, Rejection, resultText, type Answer, type Due, type Request } from './message.js'
import type { Method } from './methods/method.js'
import { modernResult } from './modern.js'
import { INTERNAL_ERROR, ProtocolError } from './protocol-error.js'
import { membersOf, type Result } from './reply.js'
import { MODERN_REVISION } from './revision.js'
import type { Server } from './server.js'

// Bounds memory: a client that does not read its answers could otherwise fill it.
const MAX_IN_FLIGHT = 2000
const TOO_MANY = `Too many requests at once: ${MAX_IN_FLIGHT} are being worked on. Wait for some of them to finish.`

const MAX_ECHO = 100

export class InFlight {
  // Sets rather than maps by id, because a client may use an id twice at once.
  readonly #contexts = new Set<Exchange>()
  readonly #pending = new Set<Promise<Answer>>()
  #stopReason: string | undefined

  constructor(private readonly server: Server) {}

  get busy(): boolean {
    return this.#pending.size > 0
  }

  async settled(): Promise<void> {
    while (this.#pending.size > 0) await Promise.all(this.#pending)
  }

  /** Aborts all work, and work that starts later; answers may still be sent. */
  abort(reason: string): void {
    this.#stopReason = reason
    for (const context of this.#contexts) context.abort(reason)
  }

  /** Answers requests whose work did not stop when aborted. */
  giveUp(): void {
    for (const context of this.#contexts) context.giveUp()
  }

  /** Cancels the request with this id without an answer; without an id, all requests. */
  cancel(reason: string, id?: string): void {
    if (id === undefined) this.#stopReason = reason
    for (const context of this.#contexts) {
      if (id === undefined || context.request.id === id) context.cancel(reason)
    }
  }

  /** Tracks an answer until it is ready. */
  promise(pendingAnswer: Promise<Answer>): Promise<Answer> {
    this.#pending.add(pendingAnswer)
    void pendingAnswer.then(() => this.#pending.delete(pendingAnswer))
    return pendingAnswer
  }

  begin(method: Method, context: Exchange): Due {
    try {
      if (this.#contexts.size >= MAX_IN_FLIGHT) throw new ProtocolError(INTERNAL_ERROR, TOO_MANY)
      const result = method(this.server, context)
      return result instanceof Promise ? this.promise(this.#awaitResult(context, result)) : this.answer(context, result)
    } catch (error) {
      context.close()
      context.unsent()
      return this.refuse(context.request, error, false)
    }
  }

  answer(context: Exchange, result: Result): Answer {
    context.close()
    const { request, client } = context
    const members =
      client.revision === MODERN_REVISION ? modernResult(result, this.server.signature) : `{${membersOf(result)}}`
    return context.registered(resultText(request.id, members))
  }

  /** `early`: before any work was started. */
  refuse(request: Request, error: unknown, early: boolean): Rejection {
    if (!(error instanceof ProtocolError)) this.server.logError(error)
    const protocolError = toProtocolError(error, request)
    return new Rejection(protocolError.code, errorText(request.id, protocolError), early)
  }

  async #awaitResult(context: Exchange, result: Promise<Result>): Promise<Answer> {
    this.#contexts.add(context)
    if (this.#stopReason !== undefined) context.abort(this.#stopReason)
    try {
      const text = await context.first(this.#awaitOutcome(context, result))
      if (context.asks) return await this.#inputRequired(context)
      return context.cancelled ? undefined : this.answer(context, text)
    } catch (error) {
      if (context.asks) return await this.#inputRequired(context)
      if (context.cancelled) return undefined
      return this.refuse(context.request, context.stopped ? this.#unfinishedError() : error, false)
    } finally {
      context.close()
      context.unsent()
      this.#contexts.delete(context)
    }
  }

  /** Stores the outcome in the task handle if the call was deferred. */
  async #awaitOutcome(context: Exchange, result: Promise<Result>): Promise<Result> {
    try {
      const text = await result
      context.done = true
      return context.ticket ? await this.#storeOutcome(context.ticket, { result: `{${membersOf(text)}}` }) : text
    } catch (error) {
      context.done = true
      if (context.ticket) return this.#storeError(context, context.ticket, error)
      throw error
    }
  }

  async #inputRequired(context: Exchange): Promise<Answer> {
    try {
      const inputRequester = await context.asking()
      const reply = await inputRequester.inputRequired()
      return context.cancelled ? undefined : this.answer(context, reply)
    } catch (error) {
      return this.refuse(context.request, error, false)
    }
  }

  async #storeOutcome(taskHandle: Ticket, outcome: Outcome): Promise<Result> {
    try {
      await taskHandle.finish(outcome)
    } catch (error) {
      // The request was answered before; a client that polls the task learns that it was not finished.
      this.server.logError(error)
    }
    return ''
  }

  #storeError({ request, stopped }: Exchange, taskHandle: Ticket, error: unknown): Promise<Result> {
    if (!(error instanceof ProtocolError) && !stopped) this.server.logError(error)
    const { code, message } = toProtocolError(error, request)
    return this.#storeOutcome(taskHandle, { error: { code, message } })
  }

  #unfinishedError(): ProtocolError {
    return new ProtocolError(INTERNAL_ERROR, `Not finished: ${this.#stopReason ?? 'stopped'}`)
  }
}

/** Hides the details of unexpected errors from the client. */
function toProtocolError(error: unknown, { method }: Request): ProtocolError {
  if (error instanceof ProtocolError) return error
  return new ProtocolError(INTERNAL_ERROR, `Internal error in ${method.slice(0, MAX_ECHO)}; see the server's log`)
}
