// A client in the same process as its server, for tests and for the command line. It speaks any revision, answers what the
// server asks by functions it was given, and keeps what the server says unasked.

import { Failure } from '../lib/failure.js'
import { isObject, type JsonObject } from '../lib/json.js'
import { reasonOf } from '../lib/reason-of.js'
import { MODERN_REVISION, NEWEST_LEGACY, type Revision } from '../protocol/revision.js'
import type { LinkedTransport } from './memory.js'

const MOST_ROUNDS = 20

/** How a client in memory presents itself, and what it answers. */
export interface ClientOptions {
  /** The revision of the protocol to speak; 2025-11-25 unless told. */
  readonly revision?: Revision
  /** What the server may ask, by method, and the answer: `sampling/createMessage`, `elicitation/create`, `roots/list`. */
  readonly answers?: Readonly<Record<string, (params: JsonObject) => unknown>>
  /** What the client declares, besides what follows from `answers`. */
  readonly capabilities?: JsonObject
}

/** A client in the same process as its server. */
export interface MemoryClient {
  /** What the server said of itself at the beginning. */
  readonly server: JsonObject
  /** What the server said unasked, in order: progress, log messages, changes. */
  readonly notifications: readonly Notified[]
  /** The result of a request. An error rejects with a RequestFailure; `signal` cancels. */
  request(method: string, params?: JsonObject, options?: { readonly signal?: AbortSignal }): Promise<JsonObject>
  /** Tells the server something that is due no answer. */
  notify(method: string, params?: JsonObject): Promise<void>
  /** Stops what is still being worked on, and closes the server's services. */
  close(): Promise<void>
}

/** What a server said unasked. */
export interface Notified {
  readonly method: string
  readonly params: JsonObject
}

/** The server answered with an error. */
export class RequestFailure extends Failure {
  constructor(
    message: string,
    /** As JSON-RPC has it: -32602 for wrong params. */
    readonly code: number,
    readonly data?: unknown,
  ) {
    super(message)
  }
}

export async function connectOver(line: LinkedTransport, options: ClientOptions = {}): Promise<MemoryClient> {
  const caller = new Caller(line, options)
  const server = await caller.greet()
  return {
    server,
    notifications: caller.notifications,
    request: (method, params, { signal } = {}) => caller.request(method, params, signal),
    notify: (method, params) => caller.notify(method, params),
    close: () => line.close(),
  }
}

class Caller {
  readonly notifications: Notified[] = []
  readonly #pending = new Map<unknown, (message: JsonObject) => void>()
  readonly #revision: Revision
  readonly #capabilities: JsonObject
  readonly #answers: NonNullable<ClientOptions['answers']>
  #lastId = 0

  constructor(
    private readonly line: LinkedTransport,
    { revision = NEWEST_LEGACY, answers = {}, capabilities }: ClientOptions,
  ) {
    this.#revision = revision
    this.#answers = answers
    this.#capabilities = { ...capabilitiesFor(answers), ...capabilities }
    line.onmessage = (message) => this.#hear(message)
    line.onclose = () => {
      for (const end of this.#pending.values()) end({ error: { code: -32000, message: 'The connection is closed.' } })
    }
  }

  async greet(): Promise<JsonObject> {
    if (this.#revision === MODERN_REVISION) return this.request('server/discover')
    const [protocolVersion, capabilities] = [this.#revision, this.#capabilities]
    const clientInfo = { name: 'in-memory', version: '1' }
    const server = await this.request('initialize', { protocolVersion, capabilities, clientInfo })
    await this.notify('notifications/initialized')
    return server
  }

  notify(method: string, params?: JsonObject): Promise<void> {
    return this.line.send({ jsonrpc: '2.0', method, ...(params && { params }) })
  }

  async request(method: string, params: JsonObject = {}, signal?: AbortSignal): Promise<JsonObject> {
    if (this.#revision !== MODERN_REVISION) return this.#exchange(method, params, signal)
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': this.#revision,
      'io.modelcontextprotocol/clientCapabilities': this.#capabilities,
      ...(isObject(params._meta) ? params._meta : {}),
    }
    // A modern server does not ask: it answers with its questions, and the request is made again with the answers.
    let brought: JsonObject = {}
    for (let round = 0; round < MOST_ROUNDS; round++) {
      const result = await this.#exchange(method, { ...params, ...brought, _meta }, signal)
      if (result.resultType !== 'input_required') return result
      brought = { requestState: result.requestState, inputResponses: await this.#answerAll(result.inputRequests) }
    }
    throw new Failure(`The server still asks after ${MOST_ROUNDS} rounds.`)
  }

  /** One message and its answer. */
  async #exchange(method: string, params: JsonObject, signal?: AbortSignal): Promise<JsonObject> {
    signal?.throwIfAborted()
    const id = ++this.#lastId
    const message = await new Promise<JsonObject>((resolve, reject) => {
      const cancel = (): void => {
        reject(signal?.reason)
        void this.notify('notifications/cancelled', { requestId: id }).catch(() => {})
      }
      signal?.addEventListener('abort', cancel)
      this.#pending.set(id, (found) => {
        signal?.removeEventListener('abort', cancel)
        resolve(found)
      })
      this.line.send({ jsonrpc: '2.0', id, method, params }).catch(reject)
    }).finally(() => this.#pending.delete(id))
    if (isObject(message.result)) return message.result
    const { code, message: words, data } = isObject(message.error) ? message.error : {}
    throw new RequestFailure(String(words), Number(code), data)
  }

  #hear(message: object): void {
    if (!isObject(message)) return
    const { id, method } = message
    if (typeof method !== 'string') return this.#pending.get(id)?.(message)
    const params = isObject(message.params) ? message.params : {}
    if (id === undefined) this.notifications.push({ method, params })
    else void this.#respond(id, method, params)
  }

  async #respond(id: unknown, method: string, params: JsonObject): Promise<void> {
    const outcome = await this.#answer(method, params).then(
      (result) => ({ result }),
      (error: unknown) => ({ error: { code: -32603, message: reasonOf(error) } }),
    )
    await this.line.send({ jsonrpc: '2.0', id, ...outcome }).catch(() => {})
  }

  async #answer(method: string, params: JsonObject): Promise<unknown> {
    const answer = Object.hasOwn(this.#answers, method) ? this.#answers[method] : undefined
    if (answer) return answer(params)
    throw new Failure(`This client has no answer to ${method}.`)
  }

  async #answerAll(requests: unknown): Promise<JsonObject> {
    const asked = isObject(requests) ? Object.entries(requests) : []
    const answered = asked.map(async ([key, asking]) => {
      const { method, params } = isObject(asking) ? asking : {}
      return [key, await this.#answer(String(method), isObject(params) ? params : {})]
    })
    return Object.fromEntries(await Promise.all(answered))
  }
}

function capabilitiesFor(answers: object): JsonObject {
  return {
    ...('sampling/createMessage' in answers && { sampling: {} }),
    ...('elicitation/create' in answers && { elicitation: { form: {}, url: {} } }),
    ...('roots/list' in answers && { roots: {} }),
  }
}
