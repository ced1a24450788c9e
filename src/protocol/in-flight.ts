// The requests of one session that are being worked on: begun, stopped, answered, each once. Work that is done at once
// is answered at once, without a promise.

import type { Exchange } from './exchange.js'
import type { Outcome, Ticket } from './live-ticket.js'
import { errorText, Rejection, resultText, type Answer, type Due, type Request } from './message.js'
import type { Method } from './methods/method.js'
import { modernResult } from './modern.js'
import { INTERNAL_ERROR, ProtocolError } from './protocol-error.js'
import { membersOf, type Result } from './reply.js'
import { MODERN_REVISION } from './revision.js'
import type { Server } from './server.js'

// No client works on so many things at once; without a bound, one that does not read its answers fills the memory.
const MAX_IN_FLIGHT = 2000
const TOO_MANY = `Too many requests at once: ${MAX_IN_FLIGHT} are being worked on. Wait for some of them to finish.`

const MAX_ECHO = 100

export class InFlight {
  // Sets rather than maps by id: nothing stops a client from using an id twice at once.
  readonly #exchanges = new Set<Exchange>()
  readonly #promised = new Set<Promise<Answer>>()
  #stopping: string | undefined

  constructor(private readonly server: Server) {}

  get busy(): boolean {
    return this.#promised.size > 0
  }

  async settled(): Promise<void> {
    while (this.#promised.size > 0) await Promise.all(this.#promised)
  }

  /** The work stops; answers may still be given. So it is with work that still comes. */
  abort(reason: string): void {
    this.#stopping = reason
    for (const exchange of this.#exchanges) exchange.abort(reason)
  }

  /** Answers now for work that did not stop when it was told to. */
  giveUp(): void {
    for (const exchange of this.#exchanges) exchange.giveUp()
  }

  /** The client wants no answer to this one; without an id, to none. */
  cancel(reason: string, id?: string): void {
    if (id === undefined) this.#stopping = reason
    for (const exchange of this.#exchanges) {
      if (id === undefined || exchange.request.id === id) exchange.cancel(reason)
    }
  }

  /** Waited for by `settled`. */
  promise(due: Promise<Answer>): Promise<Answer> {
    this.#promised.add(due)
    void due.then(() => this.#promised.delete(due))
    return due
  }

  begin(method: Method, exchange: Exchange): Due {
    try {
      if (this.#exchanges.size >= MAX_IN_FLIGHT) throw new ProtocolError(INTERNAL_ERROR, TOO_MANY)
      const result = method(this.server, exchange)
      return result instanceof Promise ? this.promise(this.#workOn(exchange, result)) : this.answer(exchange, result)
    } catch (error) {
      exchange.close()
      exchange.unsent()
      return this.refuse(exchange.request, error, false)
    }
  }

  answer(exchange: Exchange, result: Result): Answer {
    exchange.close()
    const { request, client } = exchange
    const members =
      client.revision === MODERN_REVISION ? modernResult(result, this.server.signature) : `{${membersOf(result)}}`
    return exchange.registered(resultText(request.id, members))
  }

  /** `early`: before any work was begun. */
  refuse(request: Request, error: unknown, early: boolean): Rejection {
    if (!(error instanceof ProtocolError)) this.server.logError(error)
    const told = explain(error, request)
    return new Rejection(told.code, errorText(request.id, told), early)
  }

  async #workOn(exchange: Exchange, result: Promise<Result>): Promise<Answer> {
    this.#exchanges.add(exchange)
    if (this.#stopping !== undefined) exchange.abort(this.#stopping)
    try {
      const text = await exchange.first(this.#outcome(exchange, result))
      if (exchange.asks) return await this.#inputRequired(exchange)
      return exchange.cancelled ? undefined : this.answer(exchange, text)
    } catch (error) {
      if (exchange.asks) return await this.#inputRequired(exchange)
      if (exchange.cancelled) return undefined
      return this.refuse(exchange.request, exchange.stopped ? this.#unfinished() : error, false)
    } finally {
      exchange.close()
      exchange.unsent()
      this.#exchanges.delete(exchange)
    }
  }

  /** Once the call is deferred, its outcome belongs to the ticket. */
  async #outcome(exchange: Exchange, result: Promise<Result>): Promise<Result> {
    try {
      const text = await result
      exchange.done = true
      return exchange.ticket ? await this.#keep(exchange.ticket, { result: `{${membersOf(text)}}` }) : text
    } catch (error) {
      exchange.done = true
      if (exchange.ticket) return this.#keepError(exchange, exchange.ticket, error)
      throw error
    }
  }

  async #inputRequired(exchange: Exchange): Promise<Answer> {
    try {
      const asking = await exchange.asking()
      const reply = await asking.inputRequired()
      return exchange.cancelled ? undefined : this.answer(exchange, reply)
    } catch (error) {
      return this.refuse(exchange.request, error, false)
    }
  }

  async #keep(ticket: Ticket, outcome: Outcome): Promise<Result> {
    try {
      await ticket.finish(outcome)
    } catch (error) {
      // Nobody waits here any more; whoever asks for the task is told that it was not finished.
      this.server.logError(error)
    }
    return ''
  }

  #keepError({ request, stopped }: Exchange, ticket: Ticket, error: unknown): Promise<Result> {
    if (!(error instanceof ProtocolError) && !stopped) this.server.logError(error)
    const { code, message } = explain(error, request)
    return this.#keep(ticket, { error: { code, message } })
  }

  #unfinished(): ProtocolError {
    return new ProtocolError(INTERNAL_ERROR, `Not finished: ${this.#stopping ?? 'stopped'}`)
  }
}

/** A bug is told without its insides. */
function explain(error: unknown, { method }: Request): ProtocolError {
  if (error instanceof ProtocolError) return error
  return new ProtocolError(INTERNAL_ERROR, `Internal error in ${method.slice(0, MAX_ECHO)}; see the server's log`)
}
