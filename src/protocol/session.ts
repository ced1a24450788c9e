// One conversation with a client: what each message is due.
// The era is decided per request: modern `_meta` is served statelessly, everything else at the negotiated revision.

import { isObject, type JsonObject } from '../lib/json.js'
import type { BegunCall } from '../services/observer.js'
import type { Who } from '../services/who.js'
import { answerBatch } from './batch.js'
import type { ClientRequests } from './client-requests.js'
import { Exchange, type Conversation } from './exchange.js'
import { InFlight } from './in-flight.js'
import { Legacy, type LegacyOptions } from './legacy.js'
import { Listeners } from './listeners.js'
import { Rejection, resultText } from './message.js'
import type { Answer, Batch, Due, Message, Notification, Request } from './message.js'
import { ASKING_METHODS, legacyMethods, modernMethods } from './methods/eras.js'
import type { Method, Methods } from './methods/method.js'
import { isOffered } from './methods/offered.js'
import { isModern, readModernClient } from './modern.js'
import type { Outlet } from './outlet.js'
import { INVALID_PARAMS, METHOD_NOT_FOUND, ProtocolError } from './protocol-error.js'
import { NEWEST_LEGACY, type LegacyRevision, type Revision } from './revision.js'
import type { Server } from './server.js'

const MAX_ECHO = 100

// For the HTTP transport, until it imports the type from where it is declared.
export type { Due } from './message.js'

export interface Session {
  /** The revision that `initialize` agreed on; undefined before it, and for who never sends it. */
  readonly agreed: Revision | undefined
  /** Whether anything is being worked on. */
  readonly busy: boolean
  /** What a message is due: nothing, an answer, or the promise of either. Progress goes to the outlet meanwhile. */
  receive(message: Message | Batch, outlet: Outlet): Due
  /** Resolves when nothing is due any more, apart from streams that stay open. */
  settled(): Promise<void>
  /** Ends the streams that stay open, and those that still come, each with its answer. */
  endListening(): void
  /** Stops the work of every request in flight, and of those that still come. */
  abort(reason: string): void
  /** Answers now for work that did not stop when it was told to. */
  giveUp(): void
  /** The client is gone: stops everything, and nothing is answered any more. */
  leave(reason: string): void
}

export interface SessionOptions extends Omit<LegacyOptions, 'revision'> {
  readonly revision?: LegacyRevision | undefined
  /** Its end means nothing: what belongs to it belongs to the user. */
  readonly stateless?: boolean | undefined
  /** Told of every tool call that is over. */
  readonly onCall?: ((call: FinishedCall) => void) | undefined
}

export interface FinishedCall {
  readonly tool: string
  readonly outcome: 'ok' | 'error' | 'cancelled'
  readonly seconds: number
}

export function createSession(server: Server, peer: Who, options: SessionOptions = {}): Session {
  return new Conversing(server, peer, options)
}

class Conversing implements Session, Conversation {
  // Made on first use: over HTTP a conversation is often one request long and needs none of them.
  requests: ClientRequests | undefined
  #legacyMade: Legacy | undefined
  #listenersMade: Listeners | undefined
  readonly #inFlight: InFlight
  readonly #options: SessionOptions

  constructor(
    readonly server: Server,
    readonly peer: Who,
    options: SessionOptions,
  ) {
    this.#options = options
    this.#inFlight = new InFlight(server)
  }

  get #legacy(): Legacy {
    const { revision = NEWEST_LEGACY, outlet, dialect } = this.#options
    return (this.#legacyMade ??= new Legacy(this.server, this.peer, { revision, outlet, dialect }))
  }

  get #listeners(): Listeners {
    return (this.#listenersMade ??= new Listeners(this.server))
  }

  get agreed(): Revision | undefined {
    return this.#legacyMade?.agreed ? this.#legacyMade.client.revision : undefined
  }

  get busy(): boolean {
    return this.#inFlight.busy
  }

  receive(message: Message | Batch, outlet: Outlet): Due {
    if (message.kind !== 'batch') return this.#answerOne(message, outlet)
    const due = answerBatch(message, this.#legacy.client.revision, (member) => this.#answerOne(member, outlet))
    return due instanceof Promise ? this.#inFlight.promise(due) : due
  }

  settled(): Promise<void> {
    return this.#inFlight.settled()
  }

  endListening(): void {
    this.#listeners.end()
  }

  abort(reason: string): void {
    this.#inFlight.abort(reason)
    this.#listeners.end()
  }

  giveUp(): void {
    this.#inFlight.giveUp()
  }

  leave(reason: string): void {
    this.#legacyMade?.close()
    this.#inFlight.cancel(reason)
    this.#listenersMade?.cancel(reason)
    if (this.#options.stateless !== true) this.server.observer?.left(this.peer)
  }

  #answerOne(message: Message, outlet: Outlet): Due {
    if (message.kind === 'request') return this.#respond(message, outlet)
    if (message.kind === 'notification') this.#note(message)
    if (message.kind === 'response') this.requests?.take(message)
    return message.kind === 'malformed' ? message.answer : undefined
  }

  #respond(request: Request, outlet: Outlet): Due {
    try {
      const params = readParams(request)
      if (isModern(request.method, params)) return this.#respondModern(request, params, outlet)
      const said = this.#legacy.answer(request.method, params)
      if (said !== undefined) return resultText(request.id, `{${said}}`)
      const exchange = new Exchange(request, params, this.#legacy.client, outlet, this)
      return this.#work(this.#find(legacyMethods(), request.method), exchange)
    } catch (error) {
      return this.#inFlight.refuse(request, error, true)
    }
  }

  #respondModern(request: Request, params: JsonObject, outlet: Outlet): Due {
    const exchange = new Exchange(request, params, readModernClient(params), outlet, this)
    if (request.method === 'subscriptions/listen') {
      return this.#listeners.add(exchange, (reply) => this.#inFlight.answer(exchange, reply))
    }
    const method = this.#find(modernMethods(), request.method)
    const isRetry = params.requestState !== undefined || params.inputResponses !== undefined
    if (!isRetry || !ASKING_METHODS.has(request.method)) return this.#work(method, exchange)
    return this.#work(async (server) => {
      const asking = await exchange.asking()
      await asking.resume()
      return method(server, exchange)
    }, exchange)
  }

  #find(methods: Methods, name: string): Method {
    const method = Object.hasOwn(methods, name) ? methods[name] : undefined
    if (method && isOffered(this.server, name)) return method
    throw new ProtocolError(METHOD_NOT_FOUND, `Method not found: ${name.slice(0, MAX_ECHO)}`)
  }

  #work(method: Method, exchange: Exchange): Due {
    const { onCall } = this.#options
    const { observer } = this.server
    if ((!onCall && !observer) || exchange.request.method !== 'tools/call') {
      return this.#inFlight.begin(method, exchange)
    }
    const { params } = exchange
    const begun = { tool: String(params.name), input: params.arguments }
    observer?.began(this.peer, begun)
    const startedAt = performance.now()
    const due = this.#inFlight.begin(method, exchange)
    if (due instanceof Promise) void due.then((answer) => this.#observe(exchange, answer, startedAt, begun))
    else this.#observe(exchange, due, startedAt, begun)
    return due
  }

  #observe({ failed }: Exchange, answer: Answer, startedAt: number, begun: BegunCall): void {
    const outcome = answer === undefined ? 'cancelled' : answer instanceof Rejection || failed ? 'error' : 'ok'
    const { tool, input } = begun
    const ms = performance.now() - startedAt
    this.#options.onCall?.({ tool, outcome, seconds: ms / 1000 })
    this.server.observer?.ended(this.peer, { tool, input, outcome, ms }, begun)
  }

  #note({ method, params, requestId }: Notification): void {
    if (method !== 'notifications/cancelled' || requestId === undefined) return
    const reason = isObject(params) && typeof params.reason === 'string' ? params.reason : 'cancelled by the client'
    this.#inFlight.cancel(reason, requestId)
    this.#listeners.cancel(reason, requestId)
  }
}

function readParams({ params }: Request): JsonObject {
  if (params === undefined) return {}
  if (isObject(params)) return params
  throw new ProtocolError(INVALID_PARAMS, "Invalid params: 'params' must be an object")
}
