// One client connection: handles each message and returns its answer. The protocol version is decided per request:
// requests with modern `_meta` are served statelessly, all others at the negotiated revision. Created by every
// transport, which does the I/O.

import type { OutgoingRequests } from '../client-requests/outgoing-requests.js'
import type { AuthContext } from '../definitions/auth-context.js'
import type { Caller } from '../definitions/caller.js'
import { INVALID_PARAMS, ProtocolError } from '../errors.js'
import { isJsonObject } from '../json/json.js'
import {
  ErrorAnswer,
  formatRpcResult,
  getAnswerText,
  type JsonRpcBatch,
  type JsonRpcMessage,
  type JsonRpcNotification,
  type JsonRpcRequest,
  type MessageSink,
  type PendingAnswer,
} from '../jsonrpc/message.js'
import { findMethod, METHODS_WITH_INPUT_REQUESTS } from '../methods/method-table.js'
import type { MethodHandler } from '../methods/method.js'
import { RequestContext, type SessionContext } from '../request/request-context.js'
import { isModernRequest, readModernClient } from '../revisions/modern-request.js'
import { type LegacyRevision, NEWEST_LEGACY, type Revision } from '../revisions/revision.js'
import type { McpServer } from '../server/mcp-server.js'
import { monotonicMs } from '../monotonic-time.js'
import { andThen } from '../promises.js'
import { ActiveRequests } from './active-requests.js'
import { answerBatch } from './batch.js'
import { NegotiatedState, type NegotiatedStateOptions } from './negotiated-state.js'
import { SubscriptionStreams } from './subscriptions.js'

export interface Session {
  readonly server: McpServer
  readonly caller: Caller
  /** The revision negotiated by `initialize`; undefined before it. */
  readonly negotiatedRevision: Revision | undefined
  /** What `initialize` and later requests have negotiated. */
  readonly state: NegotiatedState
  /** Whether any request is in progress. */
  readonly isBusy: boolean
  /** Requests to the client, also those whose late answers are accepted; undefined before the first. */
  readonly outgoingRequests: OutgoingRequests | undefined
  /**
   * Handles a message and returns its answer, or a promise of it. Notifications go to the sink meanwhile. `auth` is that of
   * the message, because a session may be used with several credentials of its user.
   */
  receive(message: JsonRpcMessage | JsonRpcBatch, sink: MessageSink, auth?: AuthContext<unknown>): PendingAnswer
  /** Resolves when no request is in progress, apart from open subscription streams. */
  whenIdle(): Promise<void>
  /** Ends the subscription streams, and those that are opened later, each with its answer. */
  endSubscriptions(): void
  /** Aborts the work of every running request, and of those that start later. */
  abort(reason: string): void
  /** Answers requests whose work did not stop when aborted. */
  answerUnfinished(): void
  /**
   * The client has disconnected: aborts everything without an answer. `isMoved`: another process continues the
   * session, so its end is not reported to the observer.
   */
  disconnect(reason: string, isMoved?: boolean): void
}

export interface SessionOptions extends Omit<NegotiatedStateOptions, 'revision'> {
  readonly revision?: LegacyRevision | undefined
  /** The end of the session is not reported to the observer, because its data belongs to the user. */
  readonly isStateless?: boolean | undefined
  /** Called after every tool call. */
  readonly onCall?: ((call: CallMetric) => void) | undefined
}

export interface CallMetric {
  readonly tool: string
  readonly outcome: 'ok' | 'error' | 'cancelled'
  readonly seconds: number
}

export function createSession(server: McpServer, caller: Caller, options: SessionOptions = {}): Session {
  return new ClientSession(server, caller, options)
}

class ClientSession implements Session, SessionContext {
  // Created on first use: over HTTP a session is often a single request.
  outgoingRequests: OutgoingRequests | undefined
  #stateIfCreated: NegotiatedState | undefined
  #streamsIfCreated: SubscriptionStreams | undefined
  readonly #requests: ActiveRequests
  readonly #options: SessionOptions

  constructor(
    readonly server: McpServer,
    readonly caller: Caller,
    options: SessionOptions,
  ) {
    this.#options = options
    this.#requests = new ActiveRequests(server)
  }

  get state(): NegotiatedState {
    const { revision = NEWEST_LEGACY, sink, toolCallFormat } = this.#options
    return (this.#stateIfCreated ??= new NegotiatedState(this.server, this.caller, { revision, sink, toolCallFormat }))
  }

  get #streams(): SubscriptionStreams {
    return (this.#streamsIfCreated ??= new SubscriptionStreams(this.server))
  }

  get negotiatedRevision(): Revision | undefined {
    return this.#stateIfCreated?.isInitialized ? this.#stateIfCreated.client.revision : undefined
  }

  get isBusy(): boolean {
    return this.#requests.isBusy
  }

  receive(message: JsonRpcMessage | JsonRpcBatch, sink: MessageSink, auth?: AuthContext<unknown>): PendingAnswer {
    if (message.kind === 'request') return this.#handleRequest(message, sink, auth)
    if (message.kind === 'malformed') return message.answer
    if (message.kind === 'batch') {
      const answer = answerBatch(message, this.state.client.revision, (member) => this.receive(member, sink, auth))
      return answer instanceof Promise ? this.#requests.trackPending(answer) : answer
    }
    if (message.kind === 'notification') this.#handleNotification(message)
    else this.outgoingRequests?.handleResponse(message)
    return undefined
  }

  whenIdle(): Promise<void> {
    return this.#requests.whenIdle()
  }

  endSubscriptions(): void {
    this.#streams.endAll()
  }

  abort(reason: string): void {
    this.#requests.abort(reason)
    this.#streams.endAll()
  }

  answerUnfinished(): void {
    this.#requests.answerUnfinished()
  }

  disconnect(reason: string, isMoved = false): void {
    this.#stateIfCreated?.close()
    this.#requests.cancel(reason)
    this.#streamsIfCreated?.cancel(reason)
    if (this.#options.isStateless !== true && !isMoved) this.server.observer?.onDisconnect(this.caller)
  }

  #handleRequest(request: JsonRpcRequest, sink: MessageSink, auth: AuthContext<unknown> | undefined): PendingAnswer {
    try {
      const { method, params = {} } = request
      if (!isJsonObject(params)) {
        throw new ProtocolError(INVALID_PARAMS, "Invalid params: 'params' must be an object")
      }
      if (isModernRequest(method, params)) {
        return this.#handleModernRequest(
          new RequestContext(request, params, readModernClient(params), sink, this, auth),
        )
      }
      const { state } = this
      const members = state.handleStatefulMethod(method, params)
      if (members !== undefined) return formatRpcResult(request.id, `{${members}}`)
      const context = new RequestContext(request, params, state.client, sink, this, auth)
      return this.#runMethod(findMethod(this.server, method, false), context)
    } catch (error) {
      return this.#requests.answerError(request, error, true)
    }
  }

  #handleModernRequest(context: RequestContext): PendingAnswer {
    const { request, params } = context
    if (request.method === 'subscriptions/listen') {
      return this.#streams.open(context, (reply) => this.#requests.answer(context, reply))
    }
    const method = findMethod(this.server, request.method, true)
    const isRetry = params.requestState !== undefined || params.inputResponses !== undefined
    if (!isRetry || !METHODS_WITH_INPUT_REQUESTS.has(request.method)) return this.#runMethod(method, context)
    return this.#runMethod(async (server) => {
      const inputRequester = await context.loadInputRequester()
      await inputRequester.loadAnswers()
      return method(server, context)
    }, context)
  }

  #runMethod(method: MethodHandler, context: RequestContext): PendingAnswer {
    const { onCall } = this.#options
    const { observer } = this.server
    if ((!onCall && !observer) || context.request.method !== 'tools/call') {
      return this.#requests.start(method, context)
    }
    const { name, arguments: input } = context.params
    const tool = String(name)
    const started = { tool, input, client: context.client }
    observer?.onStart(this.caller, started)
    const startedAt = monotonicMs()
    const pendingAnswer = this.#requests.start(method, context)
    void andThen(pendingAnswer, (answer) => {
      const isError = answer instanceof ErrorAnswer || context.hasFailed
      const outcome = answer === undefined ? 'cancelled' : isError ? 'error' : 'ok'
      const ms = monotonicMs() - startedAt
      onCall?.({ tool, outcome, seconds: ms / 1000 })
      observer?.onEnd(this.caller, { ...started, outcome, ms, answer: getAnswerText(answer) }, started)
    })
    return pendingAnswer
  }

  #handleNotification({ method, params, requestId }: JsonRpcNotification): void {
    if (method !== 'notifications/cancelled' || requestId === undefined) return
    const reason = isJsonObject(params) && typeof params.reason === 'string' ? params.reason : 'cancelled by the client'
    this.#requests.cancel(reason, requestId)
    this.#streams.cancel(reason, requestId)
  }
}
