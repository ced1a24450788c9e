// A client in the same process as its server, for tests (`connect` of the library) and for the command `call`. It
// supports every revision, answers requests of the server with the given functions, and collects notifications. In
// memory only; calls have their usual effects.

import { errorMessage, Failure } from '../errors.js'
import { isJsonObject, type JsonObject } from '../json/json.js'
import { MODERN_REVISION, NEWEST_LEGACY, type Revision } from '../revisions/revision.js'
import type { MemoryTransport } from './memory-transport.js'

const MAX_INPUT_ROUNDS = 20

/** Options of an in-memory client. */
export interface MemoryClientOptions {
  /** The protocol revision; 2025-11-25 by default. */
  readonly revision?: Revision
  /** Handlers for requests of the server, by method: `sampling/createMessage`, `elicitation/create`, `roots/list`. */
  readonly answers?: Readonly<Record<string, (params: JsonObject) => unknown>>
  /** Client capabilities besides those that follow from `answers`. */
  readonly capabilities?: JsonObject
}

/** A client in the same process as its server. */
export interface MemoryClient {
  /** The result of `initialize` or `server/discover`. */
  readonly server: JsonObject
  /** Notifications of the server, in order: progress, log messages, changes. */
  readonly notifications: readonly ReceivedNotification[]
  /** Sends a request and returns its result. An error rejects with a RequestError; `signal` cancels. */
  request(method: string, params?: JsonObject, options?: { readonly signal?: AbortSignal }): Promise<JsonObject>
  /** Sends a notification. */
  notify(method: string, params?: JsonObject): Promise<void>
  /** Stops calls in progress and closes the server's services. */
  close(): Promise<void>
}

/** A notification of the server. */
export interface ReceivedNotification {
  readonly method: string
  readonly params: JsonObject
}

/** An error response of the server. */
export class RequestError extends Failure {
  constructor(
    message: string,
    /** The JSON-RPC error code: -32602 for invalid params. */
    readonly code: number,
    readonly data?: unknown,
  ) {
    super(message)
  }
}

export async function connectMemoryClient(
  transport: MemoryTransport,
  options: MemoryClientOptions = {},
): Promise<MemoryClient> {
  const session = new MemoryClientSession(transport, options)
  const server = await session.initialize()
  return {
    server,
    notifications: session.notifications,
    request: (method, params, { signal } = {}) => session.request(method, params, signal),
    notify: (method, params) => session.notify(method, params),
    close: () => transport.close(),
  }
}

class MemoryClientSession {
  readonly notifications: ReceivedNotification[] = []
  readonly #pending = new Map<unknown, (message: JsonObject) => void>()
  readonly #revision: Revision
  readonly #capabilities: JsonObject
  readonly #answers: NonNullable<MemoryClientOptions['answers']>
  #lastId = 0

  constructor(
    private readonly transport: MemoryTransport,
    { revision = NEWEST_LEGACY, answers = {}, capabilities }: MemoryClientOptions,
  ) {
    this.#revision = revision
    this.#answers = answers
    this.#capabilities = { ...capabilitiesFor(answers), ...capabilities }
    transport.onmessage = (message) => this.#receive(message)
    transport.onclose = () => {
      for (const resolve of this.#pending.values())
        resolve({ error: { code: -32000, message: 'The connection is closed.' } })
    }
  }

  async initialize(): Promise<JsonObject> {
    if (this.#revision === MODERN_REVISION) return this.request('server/discover')
    const [protocolVersion, capabilities] = [this.#revision, this.#capabilities]
    const clientInfo = { name: 'in-memory', version: '1' }
    const server = await this.request('initialize', { protocolVersion, capabilities, clientInfo })
    await this.notify('notifications/initialized')
    return server
  }

  notify(method: string, params?: JsonObject): Promise<void> {
    return this.transport.send({ jsonrpc: '2.0', method, ...(params && { params }) })
  }

  async request(method: string, params: JsonObject = {}, signal?: AbortSignal): Promise<JsonObject> {
    if (this.#revision !== MODERN_REVISION) return this.#sendRequest(method, params, signal)
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': this.#revision,
      'io.modelcontextprotocol/clientCapabilities': this.#capabilities,
      ...(isJsonObject(params._meta) ? params._meta : {}),
    }
    // A modern server returns its requests as a result, and the call is repeated with the answers.
    let answers: JsonObject = {}
    for (let round = 0; round < MAX_INPUT_ROUNDS; round++) {
      const result = await this.#sendRequest(method, { ...params, ...answers, _meta }, signal)
      if (result.resultType !== 'input_required') return result
      answers = { requestState: result.requestState, inputResponses: await this.#answerAll(result.inputRequests) }
    }
    throw new Failure(`The server still requests input after ${MAX_INPUT_ROUNDS} rounds.`)
  }

  /** Sends one request and waits for its response. */
  async #sendRequest(method: string, params: JsonObject, signal?: AbortSignal): Promise<JsonObject> {
    signal?.throwIfAborted()
    const id = ++this.#lastId
    const message = await new Promise<JsonObject>((resolve, reject) => {
      const cancel = (): void => {
        reject(signal?.reason)
        void this.notify('notifications/cancelled', { requestId: id }).catch(() => {})
      }
      signal?.addEventListener('abort', cancel)
      this.#pending.set(id, (response) => {
        signal?.removeEventListener('abort', cancel)
        resolve(response)
      })
      this.transport.send({ jsonrpc: '2.0', id, method, params }).catch(reject)
    }).finally(() => this.#pending.delete(id))
    if (isJsonObject(message.result)) return message.result
    const { code, message: reason, data } = isJsonObject(message.error) ? message.error : {}
    throw new RequestError(String(reason), Number(code), data)
  }

  #receive(message: object): void {
    if (!isJsonObject(message)) return
    const { id, method } = message
    if (typeof method !== 'string') return this.#pending.get(id)?.(message)
    const params = isJsonObject(message.params) ? message.params : {}
    if (id === undefined) this.notifications.push({ method, params })
    else void this.#respond(id, method, params)
  }

  async #respond(id: unknown, method: string, params: JsonObject): Promise<void> {
    const outcome = await this.#answer(method, params).then(
      (result) => ({ result }),
      (error: unknown) => ({ error: { code: -32603, message: errorMessage(error) } }),
    )
    await this.transport.send({ jsonrpc: '2.0', id, ...outcome }).catch(() => {})
  }

  async #answer(method: string, params: JsonObject): Promise<unknown> {
    const answer = Object.hasOwn(this.#answers, method) ? this.#answers[method] : undefined
    if (answer) return answer(params)
    throw new Failure(`This client has no handler for ${method}.`)
  }

  async #answerAll(requests: unknown): Promise<JsonObject> {
    const entries = isJsonObject(requests) ? Object.entries(requests) : []
    const responses = entries.map(async ([key, request]) => {
      const { method, params } = isJsonObject(request) ? request : {}
      return [key, await this.#answer(String(method), isJsonObject(params) ? params : {})]
    })
    return Object.fromEntries(await Promise.all(responses))
  }
}

function capabilitiesFor(answers: object): JsonObject {
  return {
    ...('sampling/createMessage' in answers && { sampling: {} }),
    ...('elicitation/create' in answers && { elicitation: { form: {}, url: {} } }),
    ...('roots/list' in answers && { roots: {} }),
  }
}
