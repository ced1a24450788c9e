// One conversation with a client: which requests are in flight, and what each message is due.
// The era is decided per request: modern `_meta` is served statelessly, everything else at the negotiated revision.

import { isObject, type JsonObject } from '../lib/json.js'
import { ClientRequests } from './client-requests.js'
import { Exchange, type Conversation, type Outlet, type Peer } from './exchange.js'
import { Legacy, type LegacyOptions } from './legacy.js'
import { answerText, errorText, malformed, Rejection, resultText } from './message.js'
import type { Answer, Batch, Message, Notification, Request } from './message.js'
import { ASKING_METHODS, isOffered, LEGACY_METHODS, MODERN_METHODS } from './methods/eras.js'
import { listen, type Listening } from './methods/listen.js'
import type { Method } from './methods/method.js'
import { isModern, modernResult, readModernClient } from './modern.js'
import { INTERNAL_ERROR, INVALID_PARAMS, INVALID_REQUEST, METHOD_NOT_FOUND, ProtocolError } from './protocol-error.js'
import type { Result } from './reply.js'
import { MODERN_REVISION, NEWEST_LEGACY, type LegacyRevision, type Revision } from './revision.js'
import type { Server } from './server.js'

// No client works on so many things at once; without a bound, one that does not read its answers fills the memory.
const MAX_IN_FLIGHT = 2000
const TOO_MANY = `Too many requests at once: ${MAX_IN_FLIGHT} are being worked on. Wait for some of them to finish.`

const MAX_LISTENING = 100
const MAX_BATCH = 1000
const MAX_ECHO = 100

export type Due = Answer | Promise<Answer>

export interface Session {
  /** The revision that `initialize` agreed on; undefined before it, and for who never sends it. */
  readonly agreed: Revision | undefined
  /** What a message is due: nothing, an answer, or the promise of either. Progress goes to the outlet meanwhile. */
  receive(message: Message | Batch, outlet: Outlet): Due
  /** Resolves when nothing is due any more, apart from streams that stay open. */
  settled(): Promise<void>
  /** Ends the streams that stay open, each with its answer. */
  endListening(): void
  /** Stops the work of every request in flight, and of those that still come. */
  abort(reason: string): void
  /** The client is gone: stops everything, and nothing is answered any more. */
  leave(reason: string): void
}

export interface SessionOptions extends Omit<LegacyOptions, 'revision'> {
  readonly revision?: LegacyRevision | undefined
  /** Told of every tool call that is over. */
  readonly onCall?: ((call: FinishedCall) => void) | undefined
}

export interface FinishedCall {
  readonly tool: string
  readonly outcome: 'ok' | 'error' | 'cancelled'
  readonly seconds: number
}

export function createSession(server: Server, peer: Peer, options: SessionOptions = {}): Session {
  return new Conversing(server, peer, options)
}

class Conversing implements Session, Conversation {
  readonly requests = new ClientRequests()
  readonly #legacy: Legacy
  // Sets rather than maps by id: nothing stops a client from using an id twice at once.
  readonly #inFlight = new Set<Exchange>()
  readonly #promised = new Set<Promise<Answer>>()
  readonly #listening = new Map<Exchange, (answer: Answer) => void>()
  readonly #onCall: SessionOptions['onCall']
  #stopping: string | undefined

  constructor(
    readonly server: Server,
    readonly peer: Peer,
    { revision = NEWEST_LEGACY, outlet, jsonText, onCall }: SessionOptions,
  ) {
    this.#onCall = onCall
    this.#legacy = new Legacy(server, peer, { revision, outlet, jsonText })
  }

  get agreed(): Revision | undefined {
    return this.#legacy.agreed ? this.#legacy.client.revision : undefined
  }

  receive(message: Message | Batch, outlet: Outlet): Due {
    const due = message.kind === 'batch' ? this.#answerBatch(message, outlet) : this.#answerOne(message, outlet)
    return due instanceof Promise && message.kind !== 'request' ? this.#promise(due) : due
  }

  async settled(): Promise<void> {
    while (this.#promised.size > 0) await Promise.all(this.#promised)
  }

  endListening(): void {
    for (const end of [...this.#listening.values()]) end(undefined)
  }

  abort(reason: string): void {
    this.#stopping = reason
    for (const exchange of this.#inFlight) exchange.abort(reason)
  }

  leave(reason: string): void {
    this.#stopping = reason
    this.#legacy.close()
    for (const exchange of this.#inFlight) exchange.cancel(reason)
    for (const [exchange, end] of this.#listening) {
      exchange.cancel(reason)
      end(undefined)
    }
  }

  #promise(due: Promise<Answer>): Promise<Answer> {
    this.#promised.add(due)
    void due.then(() => this.#promised.delete(due))
    return due
  }

  #answerBatch(batch: Batch, outlet: Outlet): Due {
    const refusal = refuseBatch(batch.size, this.#legacy.client.revision)
    if (refusal !== undefined) return malformed(INVALID_REQUEST, `Invalid Request: ${refusal}`).answer
    const answers = batch
      .read()
      .map((message) =>
        message.kind === 'request' && message.method === 'initialize'
          ? malformed(INVALID_REQUEST, 'Invalid Request: initialize must not be part of a batch', message.id).answer
          : this.#answerOne(message, outlet),
      )
    const ready = answers.filter(isReady)
    return ready.length === answers.length ? joined(ready) : joinedLater(answers)
  }

  #answerOne(message: Message, outlet: Outlet): Due {
    if (message.kind === 'request') return this.#respond(message, outlet)
    if (message.kind === 'notification') this.#note(message)
    if (message.kind === 'response') this.requests.take(message)
    return message.kind === 'malformed' ? message.answer : undefined
  }

  #respond(request: Request, outlet: Outlet): Due {
    try {
      const params = readParams(request)
      if (isModern(request.method, params)) return this.#respondModern(request, params, outlet)
      const said = this.#legacy.answer(request.method, params)
      if (said !== undefined) return resultText(request.id, `{${said}}`)
      const exchange = new Exchange(request, params, this.#legacy.client, outlet, this)
      return this.#work(this.#find(LEGACY_METHODS, request.method), exchange)
    } catch (error) {
      return this.#errorAnswer(request, error, true)
    }
  }

  #respondModern(request: Request, params: JsonObject, outlet: Outlet): Due {
    const exchange = new Exchange(request, params, readModernClient(params), outlet, this)
    if (request.method === 'subscriptions/listen') return this.#listen(exchange)
    const method = this.#find(MODERN_METHODS, request.method)
    const isRetry = params.requestState !== undefined || params.inputResponses !== undefined
    if (!isRetry || !ASKING_METHODS.has(request.method)) return this.#work(method, exchange)
    return this.#work(async (server) => {
      await exchange.resume()
      return method(server, exchange)
    }, exchange)
  }

  #find(methods: ReadonlyMap<string, Method>, name: string): Method {
    const method = methods.get(name)
    if (method && isOffered(this.server, name)) return method
    throw new ProtocolError(METHOD_NOT_FOUND, `Method not found: ${name.slice(0, MAX_ECHO)}`)
  }

  #work(method: Method, exchange: Exchange): Due {
    if (!this.#onCall || exchange.request.method !== 'tools/call') return this.#begin(method, exchange)
    const startedAt = performance.now()
    const due = this.#begin(method, exchange)
    if (due instanceof Promise) void due.then((answer) => this.#observe(exchange, answer, startedAt))
    else this.#observe(exchange, due, startedAt)
    return due
  }

  #observe({ params, failed }: Exchange, answer: Answer, startedAt: number): void {
    const outcome = answer === undefined ? 'cancelled' : answer instanceof Rejection || failed ? 'error' : 'ok'
    this.#onCall?.({ tool: String(params.name), outcome, seconds: (performance.now() - startedAt) / 1000 })
  }

  #begin(method: Method, exchange: Exchange): Due {
    try {
      if (this.#inFlight.size >= MAX_IN_FLIGHT) throw new ProtocolError(INTERNAL_ERROR, TOO_MANY)
      const result = method(this.server, exchange)
      return result instanceof Promise ? this.#promise(this.#workOn(exchange, result)) : this.#answer(exchange, result)
    } catch (error) {
      exchange.close()
      return this.#errorAnswer(exchange.request, error, false)
    }
  }

  async #workOn(exchange: Exchange, result: Promise<Result>): Promise<Answer> {
    this.#inFlight.add(exchange)
    if (this.#stopping !== undefined) exchange.abort(this.#stopping)
    // Handed on at once: once the call is deferred, its outcome belongs to the ticket.
    const outcome = result.then(
      (text) => (exchange.ticket ? this.#complete(exchange, text) : text),
      (error: unknown) => (exchange.ticket ? this.#fail(exchange, error) : Promise.reject(error)),
    )
    try {
      const text = await exchange.first(outcome)
      if (exchange.asks) return await this.#inputRequired(exchange)
      return exchange.cancelled ? undefined : this.#answer(exchange, text)
    } catch (error) {
      if (exchange.asks) return await this.#inputRequired(exchange)
      if (exchange.cancelled) return undefined
      return this.#errorAnswer(exchange.request, exchange.stopped ? this.#unfinished() : error, false)
    } finally {
      exchange.close()
      this.#inFlight.delete(exchange)
    }
  }

  async #inputRequired(exchange: Exchange): Promise<Answer> {
    if (exchange.cancelled) return undefined
    try {
      return this.#answer(exchange, await exchange.inputRequired())
    } catch (error) {
      return this.#errorAnswer(exchange.request, error, false)
    }
  }

  async #complete(exchange: Exchange, text: Result): Promise<Result> {
    if (typeof text === 'string') await exchange.ticket?.finish({ result: `{${text}}` })
    return text
  }

  async #fail(exchange: Exchange, error: unknown): Promise<Result> {
    const isKnown = error instanceof ProtocolError
    if (!isKnown && !exchange.stopped) this.server.logError(error)
    const code = isKnown ? error.code : INTERNAL_ERROR
    const message = isKnown ? error.message : `Internal error in ${exchange.request.method}; see the server's log`
    await exchange.ticket?.finish({ error: { code, message } })
    return ''
  }

  #listen(exchange: Exchange): Promise<Answer> {
    if (this.#listening.size >= MAX_LISTENING) {
      throw new ProtocolError(INTERNAL_ERROR, `There may be ${MAX_LISTENING} listeners at once; end some of them first`)
    }
    const listening: Listening = listen(this.server, exchange)
    return new Promise((resolve) => {
      const end = (): void => {
        this.#listening.delete(exchange)
        const reply = listening.end()
        resolve(exchange.cancelled ? undefined : this.#answer(exchange, reply))
      }
      this.#listening.set(exchange, end)
      if (this.#stopping !== undefined) end()
    })
  }

  #answer(exchange: Exchange, result: Result): string {
    exchange.close()
    const { request, client } = exchange
    if (client.revision === MODERN_REVISION) return resultText(request.id, modernResult(result, this.server.signature))
    return resultText(request.id, `{${typeof result === 'string' ? result : result.members}}`)
  }

  #errorAnswer(request: Request, error: unknown, early: boolean): Rejection {
    if (error instanceof ProtocolError) return new Rejection(error.code, errorText(request.id, error), early)
    this.server.logError(error)
    const message = `Internal error in ${request.method.slice(0, MAX_ECHO)}; see the server's log`
    return new Rejection(INTERNAL_ERROR, errorText(request.id, { code: INTERNAL_ERROR, message }), early)
  }

  #unfinished(): ProtocolError {
    return new ProtocolError(INTERNAL_ERROR, `Not finished: ${this.#stopping ?? 'stopped'}`)
  }

  #note({ method, params, requestId }: Notification): void {
    if (method !== 'notifications/cancelled' || requestId === undefined) return
    const reason = isObject(params) && typeof params.reason === 'string' ? params.reason : 'cancelled by the client'
    for (const exchange of this.#inFlight) if (exchange.request.id === requestId) exchange.cancel(reason)
    for (const [exchange, end] of this.#listening) {
      if (exchange.request.id !== requestId) continue
      exchange.cancel(reason)
      end(undefined)
    }
  }
}

function refuseBatch(size: number, revision: Revision): string | undefined {
  if (revision !== '2025-03-26') return 'batches exist only at revision 2025-03-26'
  if (size === 0) return 'the batch is empty'
  return size > MAX_BATCH ? `a batch may have ${MAX_BATCH} messages, this one has ${size}` : undefined
}

function isReady(due: Due): due is Answer {
  return !(due instanceof Promise)
}

async function joinedLater(dues: readonly Due[]): Promise<Answer> {
  const answers: Answer[] = []
  for (const due of dues) answers.push(await due)
  return joined(answers)
}

function joined(answers: readonly Answer[]): Answer {
  const due = answers.map(answerText).filter((answer) => answer !== undefined)
  return due.length > 0 ? `[${due.join(',')}]` : undefined
}

function readParams({ params }: Request): JsonObject {
  if (params === undefined) return {}
  if (isObject(params)) return params
  throw new ProtocolError(INVALID_PARAMS, "Invalid params: 'params' must be an object")
}
