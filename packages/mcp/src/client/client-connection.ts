// A client of one server: negotiates the revision, sends requests with a time limit each, and passes on progress and
// what the server asks. It works the same over every transport. Used by mount/. Sends messages through the transport;
// sets timers.

import type { CallContext } from '../definitions/call-context.js'
import { errorMessage, Failure, INTERNAL_ERROR, METHOD_NOT_FOUND, ProtocolError } from '../errors.js'
import { isJsonObject, type JsonObject } from '../json/json.js'
import {
  formatRpcError,
  formatRpcNotification,
  formatRpcRequest,
  formatRpcResult,
  type JsonRpcMessage,
  type JsonRpcRequest,
  type JsonRpcResponse,
  parseMessage,
} from '../jsonrpc/message.js'
import { RequestError } from '../memory/memory-client.js'
import { isLegacyRevision, MODERN_REVISION, NEWEST_LEGACY, type Revision } from '../revisions/revision.js'
import { ChangeListener } from './change-listener.js'
import type { ClientTransport, OpenTransport } from './client-transport.js'
import { HttpStatusFailure } from './http-transport.js'
import { createModernMeta, createRequestHeaders } from './modern-client.js'
import { PendingRequest } from './pending-request.js'

const MAX_PENDING = 1000
/** Rounds of questions within one request. */
const MAX_INPUT_ROUNDS = 20
/** How long a question may belong to a call that was given up before its answer. */
const ABANDONED_MS = 5 * 60_000
/** Lines that are no messages, such as a banner; a server that prints more is not one. */
const MAX_MALFORMED = 100

export interface ClientConnectionOptions {
  readonly clientInfo: { readonly name: string; readonly version: string }
  /** What to tell a server of an older revision that its questions can ask for. */
  readonly capabilities: JsonObject
  readonly startTimeoutMs: number
  /** Ends the start. */
  readonly signal: AbortSignal
  onNotification(method: string, params: JsonObject, call: CallContext | undefined): void
  /** Answers a question; `call` is the call that it belongs to, if that is known. */
  onRequest(request: ServerRequest, call: CallContext | undefined): Promise<JsonObject>
  onClose(reason: string): void
}

/** A question of the server. */
export interface ServerRequest {
  readonly method: string
  readonly params: JsonObject
  /** Its place among the questions of a call that is repeated with the answers; undefined if the call waits. */
  readonly key: string | undefined
}

export interface RequestOptions {
  readonly timeoutMs: number
  /** The call that the request is made for. */
  readonly call?: CallContext | undefined
  readonly signal?: AbortSignal | undefined
  /** Headers that repeat arguments, for HTTP at the newest revision. */
  readonly headers?: Readonly<Record<string, string>>
}

/** Messages of the Failures that are thrown end a sentence that begins with the name of the server. */
export class ClientConnection {
  /** The result of `initialize` or `server/discover`. */
  server: JsonObject = {}
  readonly #transport: ClientTransport
  readonly #pending = new Map<number, PendingRequest>()
  /** Calls that were given up, which the server may still work on. */
  readonly #abandoned = new Map<number, AbandonedCall>()
  #closedReason: string | undefined
  #lastId = 0
  #malformed = 0
  #answering = 0
  /** Set at the newest revision. */
  #changeListener: ChangeListener | undefined

  private constructor(
    openTransport: OpenTransport,
    private readonly options: ClientConnectionOptions,
  ) {
    this.#transport = openTransport({
      onMessage: (text, requestId) => this.#receive(text, requestId),
      onClose: (reason) => this.#end(reason),
      isPending: (id) => this.#pending.has(id),
    })
  }

  static async open(openTransport: OpenTransport, options: ClientConnectionOptions): Promise<ClientConnection> {
    const { signal } = options
    signal.throwIfAborted()
    const connection = new ClientConnection(openTransport, options)
    const onAbort = (): void => connection.#end('was closed')
    signal.addEventListener('abort', onAbort)
    try {
      await connection.#negotiate()
      return connection
    } catch (error) {
      await connection.close()
      throw error
    } finally {
      signal.removeEventListener('abort', onAbort)
    }
  }

  get revision(): Revision | undefined {
    return this.#transport.revision
  }

  get isClosed(): boolean {
    return this.#closedReason !== undefined
  }

  async request(method: string, params: JsonObject, options: RequestOptions): Promise<JsonObject> {
    if (this.revision !== MODERN_REVISION) return this.#send(method, params, options)
    let answers: JsonObject = {}
    for (let round = 0; round < MAX_INPUT_ROUNDS; round++) {
      const result = await this.#send(method, { ...params, ...answers }, options)
      if (result.resultType !== 'input_required') return result
      const inputResponses = await this.#answerAll(result.inputRequests, options.call, round)
      answers = {
        inputResponses,
        ...(typeof result.requestState === 'string' && { requestState: result.requestState }),
      }
    }
    throw new Failure(`still asks for input after ${MAX_INPUT_ROUNDS} rounds`)
  }

  /** Subscribes to a resource. `all`: with those that were subscribed to before. */
  async subscribe(uri: string, all: readonly string[], timeoutMs: number): Promise<void> {
    if (this.#changeListener) this.#changeListener.listen(all)
    else await this.request('resources/subscribe', { uri }, { timeoutMs })
  }

  notify(method: string, params: JsonObject = {}): void {
    const text = formatRpcNotification(method, JSON.stringify(params))
    this.#post(text, method)
  }

  close(reason = 'was closed'): Promise<void> {
    this.#end(reason)
    return this.#transport.close()
  }

  /** The newest revision with a handshake first; a server that has only the stateless one refuses it. */
  async #negotiate(): Promise<void> {
    const timeoutMs = this.options.startTimeoutMs
    const { capabilities, clientInfo } = this.options
    const params = { protocolVersion: NEWEST_LEGACY, capabilities, clientInfo }
    let refusal: unknown
    try {
      this.server = await this.#send('initialize', params, { timeoutMs })
    } catch (error) {
      if (!(error instanceof RequestError || isClientError(error))) throw error
      refusal = error
    }
    if (refusal === undefined) return this.#finishHandshake()
    this.#transport.revision = MODERN_REVISION
    try {
      this.server = await this.#send('server/discover', {}, { timeoutMs })
    } catch {
      throw refusal
    }
    const { supportedVersions } = this.server
    if (Array.isArray(supportedVersions) && !supportedVersions.includes(MODERN_REVISION)) throw refusal
    this.#changeListener = new ChangeListener((changes, signal) => ({
      ended: this.#send('subscriptions/listen', changes, { timeoutMs: Infinity, signal }),
      id: this.#lastId,
    }))
    this.#changeListener.listen([])
  }

  #finishHandshake(): void {
    const { protocolVersion } = this.server
    if (!isLegacyRevision(protocolVersion)) {
      throw new Failure(
        `speaks a revision of the protocol that is not known here: ${String(protocolVersion).slice(0, 40)}`,
      )
    }
    this.#transport.revision = protocolVersion
    this.notify('notifications/initialized')
    this.#transport.listen?.()
  }

  async #send(method: string, params: JsonObject, options: RequestOptions): Promise<JsonObject> {
    const { call, timeoutMs, signal = call?.signal } = options
    if (this.#closedReason !== undefined) throw new Failure(this.#closedReason)
    if (this.#pending.size >= MAX_PENDING) throw new Failure(`has ${MAX_PENDING} requests to answer; wait for some`)
    signal?.throwIfAborted()
    const id = ++this.#lastId
    const isModern = this.revision === MODERN_REVISION
    const meta = {
      ...(isJsonObject(params._meta) && params._meta),
      ...(isModern && createModernMeta(this.options.clientInfo, call)),
      ...(call?.wantsProgress && { progressToken: id }),
    }
    const body = Object.keys(meta).length > 0 ? { ...params, _meta: meta } : params
    const request = new PendingRequest({ call, timeoutMs, signal })
    this.#pending.set(id, request)
    const headers = isModern ? { ...createRequestHeaders(method, params), ...options.headers } : {}
    void this.#transport
      .send({ text: formatRpcRequest(String(id), method, body), id, method, headers }, request.transportSignal)
      .then(
        (isOver) => isOver && request.fail(new Failure('ended its response without an answer')),
        (error: unknown) => request.fail(error),
      )
    try {
      return await request.result
    } catch (error) {
      if (request.isCancelled && method !== 'initialize') this.#cancel(id, errorMessage(error))
      if (request.isCancelled && call) this.#abandon(id, call)
      throw error instanceof Failure || request.isCancelled ? error : new Failure(`broke off: ${errorMessage(error)}`)
    } finally {
      this.#pending.delete(id)
      request.end()
    }
  }

  #cancel(id: number, reason: string): void {
    if (!this.#transport.cancelsByAbort) this.notify('notifications/cancelled', { requestId: id, reason })
  }

  #abandon(id: number, call: CallContext): void {
    this.#abandoned.set(id, { caller: callerKey(call), until: performance.now() + ABANDONED_MS })
    const [oldest] = this.#abandoned.keys()
    if (oldest !== undefined && this.#abandoned.size > MAX_PENDING) this.#abandoned.delete(oldest)
  }

  #post(text: string, method?: string): void {
    const message = { text, id: undefined, method, headers: {} }
    // If it cannot be sent, the request that it belongs to fails as well.
    this.#transport.send(message, new AbortController().signal).catch(() => {})
  }

  #receive(text: string, requestId: number | undefined): void {
    const parsed = parseMessage(text)
    const messages: readonly JsonRpcMessage[] = parsed.kind === 'batch' ? parsed.parse() : [parsed]
    for (const message of messages) this.#handle(message, requestId)
  }

  #handle(message: JsonRpcMessage, requestId: number | undefined): void {
    if (message.kind === 'response') return this.#settle(message, requestId)
    if (message.kind === 'malformed') {
      const request = requestId === undefined ? undefined : this.#pending.get(requestId)
      if (request) request.fail(new Failure('answered with something that is no message of the protocol'))
      else if (++this.#malformed > MAX_MALFORMED) void this.#giveUp()
      return
    }
    const params = isJsonObject(message.params) ? message.params : {}
    if (message.kind === 'request') return void this.#answer(message, params, requestId)
    if (message.method === 'notifications/subscriptions/acknowledged')
      return this.#changeListener?.acknowledge(readSubscription(params))
    if (message.method === 'notifications/progress')
      return this.#pending.get(Number(params.progressToken))?.report(params)
    this.options.onNotification(message.method, params, this.#findRequest(requestId)?.call)
  }

  /** An error of a request that could not be read has no id. */
  #settle({ id, result, error }: JsonRpcResponse, requestId: number | undefined): void {
    this.#abandoned.delete(Number(id))
    const request = this.#pending.get(id === undefined ? (requestId ?? 0) : Number(id))
    if (isJsonObject(error)) request?.fail(new RequestError(String(error.message), Number(error.code), error.data))
    else if (isJsonObject(result)) request?.succeed(result)
    else request?.fail(new Failure('answered with something that is no message of the protocol'))
  }

  async #giveUp(): Promise<void> {
    this.#end('prints text that is no message of the protocol to stdout')
    await this.#transport.close()
  }

  async #answer({ id, method }: JsonRpcRequest, params: JsonObject, requestId: number | undefined): Promise<void> {
    try {
      if (this.#answering >= MAX_PENDING) throw new ProtocolError(INTERNAL_ERROR, 'Too many requests at once')
      this.#answering++
      const result = method === 'ping' ? {} : await this.#ask({ method, params, key: undefined }, requestId)
      this.#post(formatRpcResult(id, JSON.stringify(result)))
    } catch (error) {
      const code = error instanceof ProtocolError ? error.code : INTERNAL_ERROR
      this.#post(formatRpcError(id, { code, message: errorMessage(error) }))
    } finally {
      this.#answering--
    }
  }

  /** While the question is open, the time limit of its request does not run. */
  async #ask(question: ServerRequest, requestId: number | undefined): Promise<JsonObject> {
    const request = this.#findRequest(requestId)
    request?.pause()
    try {
      return await this.options.onRequest(question, request?.call)
    } finally {
      request?.resume()
    }
  }

  async #answerAll(requests: unknown, call: CallContext | undefined, round: number): Promise<JsonObject> {
    const entries = isJsonObject(requests) ? Object.entries(requests) : []
    const answers = entries.map(async ([name, request]) => {
      const { method, params } = isJsonObject(request) ? request : {}
      const question = { method: String(method), params: isJsonObject(params) ? params : {}, key: `${round}-${name}` }
      return [name, await this.options.onRequest(question, call)]
    })
    return Object.fromEntries(await Promise.all(answers))
  }

  /**
   * The request that a message belongs to. Over stdio it is known only if all calls that the server may work on are of
   * one session: a question must not reach another user.
   */
  #findRequest(requestId: number | undefined): PendingRequest | undefined {
    if (requestId !== undefined) return this.#pending.get(requestId)
    const requests = [...this.#pending.values()].filter(({ call }) => call !== undefined)
    const callers = new Set(requests.map(({ call }) => callerKey(call)))
    for (const [id, { caller, until }] of this.#abandoned) {
      if (until > performance.now()) callers.add(caller)
      else this.#abandoned.delete(id)
    }
    return callers.size === 1 ? requests.at(-1) : undefined
  }

  #end(reason: string): void {
    if (this.#closedReason !== undefined) return
    this.#closedReason = reason
    this.#changeListener?.close()
    for (const request of this.#pending.values()) request.fail(new Failure(reason))
    this.options.onClose(reason)
  }
}

interface AbandonedCall {
  readonly caller: string
  readonly until: number
}

function callerKey(call: CallContext | undefined): string {
  return `${call?.session}\n${call?.user}`
}

/** The id of the request that a notification about changes belongs to. */
function readSubscription({ _meta: meta }: JsonObject): number {
  return Number(isJsonObject(meta) ? meta['io.modelcontextprotocol/subscriptionId'] : undefined)
}

/** A refusal of the handshake by status alone. */
function isClientError(error: unknown): boolean {
  return error instanceof HttpStatusFailure && [400, 404, 405, 406].includes(error.status)
}

export function createMethodNotFound(method: string): ProtocolError {
  return new ProtocolError(METHOD_NOT_FOUND, `Method not found: ${method.slice(0, 100)}`)
}
