// One client connection: handles each message and returns its answer. The protocol version is decided per request:
// requests with modern `_meta` are served statelessly, all others at the negotiated revision.

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

export interface Session {
  /** The revision negotiated by `initialize`; undefined before it. */
  readonly agreed: Revision | undefined
  /** Whether any request is in progress. */
  readonly busy: boolean
  /** Handles a message and returns its answer, or a promise of it. Notifications go to the sink meanwhile. */
  receive(message: Message | Batch, sink: Outlet): Due
  /** Resolves when no request is in progress, apart from open subscription streams. */
  settled(): Promise<void>
  /** Ends the subscription streams, and those that are opened later, each with its answer. */
  endListening(): void
  /** Aborts the work of every running request, and of those that start later. */
  abort(reason: string): void
  /** Answers requests whose work did not stop when aborted. */
  giveUp(): void
  /** The client has disconnected: aborts everything without an answer. */
  leave(reason: string): void
}

export interface SessionOptions extends Omit<LegacyOptions, 'revision'> {
  readonly revision?: LegacyRevision | undefined
  /** The end of the session is not reported to the observer, because its data belongs to the user. */
  readonly stateless?: boolean | undefined
  /** Called after every tool call. */
  readonly onCall?: ((call: FinishedCall) => void) | undefined
}

export interface FinishedCall {
  readonly tool: string
  readonly outcome: 'ok' | 'error' | 'cancelled'
  readonly seconds: number
}

export function createSession(server: Server, caller: Who, options: SessionOptions = {}): Session {
  return new ClientSession(server, caller, options)
}

class ClientSession implements Session, Conversation {
  // Created on first use: over HTTP a session is often a single request.
  requests: ClientRequests | undefined
  #stateIfCreated: Legacy | undefined
  #streamsIfCreated: Listeners | undefined
  readonly #requests: InFlight
  readonly #options: SessionOptions

  constructor(
    readonly server: Server,
    readonly peer: Who,
    options: SessionOptions,
  ) {
    this.#options = options
    this.#requests = new InFlight(server)
  }

  get #state(): Legacy {
    const { revision = NEWEST_LEGACY, outlet, dialect } = this.#options
    return (this.#stateIfCreated ??= new Legacy(this.server, this.peer, { revision, outlet, dialect }))
  }

  get #streams(): Listeners {
    return (this.#streamsIfCreated ??= new Listeners(this.server))
  }

  get agreed(): Revision | undefined {
    return this.#stateIfCreated?.agreed ? this.#stateIfCreated.client.revision : undefined
  }

  get busy(): boolean {
    return this.#requests.busy
  }

  receive(message: Message | Batch, sink: Outlet): Due {
    if (message.kind !== 'batch') return this.#handleMessage(message, sink)
    const pendingAnswer = answerBatch(message, this.#state.client.revision, (member) =>
      this.#handleMessage(member, sink),
    )
    return pendingAnswer instanceof Promise ? this.#requests.promise(pendingAnswer) : pendingAnswer
  }

  settled(): Promise<void> {
    return this.#requests.settled()
  }

  endListening(): void {
    this.#streams.end()
  }

  abort(reason: string): void {
    this.#requests.abort(reason)
    this.#streams.end()
  }

  giveUp(): void {
    this.#requests.giveUp()
  }

  leave(reason: string): void {
    this.#stateIfCreated?.close()
    this.#requests.cancel(reason)
    this.#streamsIfCreated?.cancel(reason)
    if (this.#options.stateless !== true) this.server.observer?.left(this.peer)
  }

  #handleMessage(message: Message, sink: Outlet): Due {
    if (message.kind === 'request') return this.#handleRequest(message, sink)
    if (message.kind === 'notification') this.#handleNotification(message)
    if (message.kind === 'response') this.requests?.take(message)
    return message.kind === 'malformed' ? message.answer : undefined
  }

  #handleRequest(request: Request, sink: Outlet): Due {
    try {
      const params = readParams(request)
      if (isModern(request.method, params)) return this.#handleModernRequest(request, params, sink)
      const members = this.#state.answer(request.method, params)
      if (members !== undefined) return resultText(request.id, `{${members}}`)
      const context = new Exchange(request, params, this.#state.client, sink, this)
      return this.#runMethod(this.#findMethod(legacyMethods(), request.method), context)
    } catch (error) {
      return this.#requests.refuse(request, error, true)
    }
  }

  #handleModernRequest(request: Request, params: JsonObject, sink: Outlet): Due {
    const context = new Exchange(request, params, readModernClient(params), sink, this)
    if (request.method === 'subscriptions/listen') {
      return this.#streams.add(context, (reply) => this.#requests.answer(context, reply))
    }
    const method = this.#findMethod(modernMethods(), request.method)
    const isRetry = params.requestState !== undefined || params.inputResponses !== undefined
    if (!isRetry || !ASKING_METHODS.has(request.method)) return this.#runMethod(method, context)
    return this.#runMethod(async (server) => {
      const inputRequester = await context.asking()
      await inputRequester.resume()
      return method(server, context)
    }, context)
  }

  #findMethod(methods: Methods, name: string): Method {
    const method = Object.hasOwn(methods, name) ? methods[name] : undefined
    if (method && isOffered(this.server, name)) return method
    throw new ProtocolError(METHOD_NOT_FOUND, `Method not found: ${name.slice(0, MAX_ECHO)}`)
  }

  #runMethod(method: Method, context: Exchange): Due {
    const { onCall } = this.#options
    const { observer } = this.server
    if ((!onCall && !observer) || context.request.method !== 'tools/call') {
      return this.#requests.begin(method, context)
    }
    const { params } = context
    const started = { tool: String(params.name), input: params.arguments }
    observer?.began(this.peer, started)
    const startedAt = performance.now()
    const pendingAnswer = this.#requests.begin(method, context)
    if (pendingAnswer instanceof Promise)
      void pendingAnswer.then((answer) => this.#reportCall(context, answer, startedAt, started))
    else this.#reportCall(context, pendingAnswer, startedAt, started)
    return pendingAnswer
  }

  #reportCall({ failed }: Exchange, answer: Answer, startedAt: number, started: BegunCall): void {
    const outcome = answer === undefined ? 'cancelled' : answer instanceof Rejection || failed ? 'error' : 'ok'
    const { tool, input } = started
    const ms = performance.now() - startedAt
    this.#options.onCall?.({ tool, outcome, seconds: ms / 1000 })
    this.server.observer?.ended(this.peer, { tool, input, outcome, ms }, started)
  }

  #handleNotification({ method, params, requestId }: Notification): void {
    if (method !== 'notifications/cancelled' || requestId === undefined) return
    const reason = isObject(params) && typeof params.reason === 'string' ? params.reason : 'cancelled by the client'
    this.#requests.cancel(reason, requestId)
    this.#streams.cancel(reason, requestId)
  }
}

function readParams({ params }: Request): JsonObject {
  if (params === undefined) return {}
  if (isObject(params)) return params
  throw new ProtocolError(INVALID_PARAMS, "Invalid params: 'params' must be an object")
}
