// A client of the protocol at any revision, for the server under development: connects, sends requests, answers those of
// the server through its listener. Unlike other clients it repairs nothing and hides nothing. Used by server-run.ts.
// Sends messages through its listener; in memory only.

import { isJsonObject, type JsonObject } from '@scorpiox/mcp/json/json'
import { MODERN_REVISION } from '@scorpiox/mcp/revisions/revision'

import type { ConnectedServer, RpcOutcome } from './view.js'

const MAX_INPUT_ROUNDS = 50
const CLIENT_INFO = { name: 'scorpiox-dev', title: 'Inspector', version: '1.0.0' }
const META = 'io.modelcontextprotocol/'
const METHOD_NOT_FOUND = -32601
const CLOSED = -32000

export interface ProtocolClientListener {
  send(message: JsonObject): void
  /** Resolves to the answer to a request of the server. `signal` is aborted when the server takes it back. */
  onRequest(method: string, params: JsonObject, signal: AbortSignal): Promise<RpcOutcome>
  onNotification(method: string, params: JsonObject): void
}

export interface RequestOptions {
  /** Progress is requested with this token. */
  readonly progressToken?: string
  readonly signal?: AbortSignal
}

export class ProtocolClient {
  readonly #pending = new Map<unknown, (outcome: RpcOutcome) => void>()
  readonly #incoming = new Map<unknown, AbortController>()
  #lastId = 0
  #closedBecause: string | undefined

  constructor(
    private readonly revision: string,
    private readonly listener: ProtocolClientListener,
  ) {}

  /** Resolves to a sentence if the server refused. */
  async connect(): Promise<ConnectedServer | string> {
    if (this.#isModern) return this.#discover()
    const capabilities = capabilitiesAt(this.revision)
    const params = { protocolVersion: this.revision, capabilities, clientInfo: CLIENT_INFO }
    const outcome = await this.#send('initialize', params)
    if ('error' in outcome) return `The server refused initialize: ${outcome.error.message}`
    this.notify('notifications/initialized')
    const server = readServer(outcome.result, outcome.result.serverInfo, String(outcome.result.protocolVersion))
    if (isJsonObject(server.capabilities.logging)) void this.request('logging/setLevel', { level: 'debug' })
    return server
  }

  async #discover(): Promise<ConnectedServer | string> {
    const outcome = await this.request('server/discover')
    if ('error' in outcome) {
      return `The server does not support ${MODERN_REVISION}; choose an older revision. It answered: ${outcome.error.message}`
    }
    const { _meta: meta, capabilities } = outcome.result
    const info = outcome.result.serverInfo ?? (isJsonObject(meta) ? meta[`${META}serverInfo`] : undefined)
    const server = readServer(outcome.result, info, MODERN_REVISION)
    const notifications = isJsonObject(capabilities) ? listChangesOf(capabilities) : {}
    // Answered when the server ends it.
    if (Object.keys(notifications).length > 0) void this.request('subscriptions/listen', { notifications })
    return server
  }

  get #isModern(): boolean {
    return this.revision === MODERN_REVISION
  }

  async request(method: string, params: JsonObject = {}, options: RequestOptions = {}): Promise<RpcOutcome> {
    const meta = {
      ...(this.#isModern && {
        [`${META}protocolVersion`]: this.revision,
        [`${META}clientCapabilities`]: capabilitiesAt(this.revision),
        [`${META}clientInfo`]: CLIENT_INFO,
        [`${META}logLevel`]: 'debug',
      }),
      ...(options.progressToken !== undefined && { progressToken: options.progressToken }),
      ...(isJsonObject(params._meta) ? params._meta : {}),
    }
    const withMeta = Object.keys(meta).length === 0 ? params : { ...params, _meta: meta }
    // A modern server returns its questions as a result, and the request is repeated with the answers.
    let answers: JsonObject = {}
    for (let round = 0; round < MAX_INPUT_ROUNDS; round++) {
      const outcome = await this.#send(method, { ...withMeta, ...answers }, options.signal)
      if ('error' in outcome || outcome.result.resultType !== 'input_required') return outcome
      const { requestState, inputRequests } = outcome.result
      answers = {
        ...(requestState !== undefined && { requestState }),
        inputResponses: await this.#answerAll(inputRequests, options.signal),
      }
      if (options.signal?.aborted) return cancelled()
    }
    return { error: { code: CLOSED, message: `The server still asks after ${MAX_INPUT_ROUNDS} rounds.` } }
  }

  notify(method: string, params?: JsonObject): void {
    this.listener.send({ jsonrpc: '2.0', method, ...(params && { params }) })
  }

  #send(method: string, params: JsonObject, signal?: AbortSignal): Promise<RpcOutcome> {
    if (this.#closedBecause !== undefined) return Promise.resolve(closed(this.#closedBecause))
    if (signal?.aborted) return Promise.resolve(cancelled())
    const id = ++this.#lastId
    return new Promise((resolve) => {
      const cancel = (): void => {
        this.#pending.delete(id)
        this.notify('notifications/cancelled', { requestId: id, reason: 'Cancelled on the page' })
        resolve(cancelled())
      }
      signal?.addEventListener('abort', cancel)
      this.#pending.set(id, (outcome) => {
        signal?.removeEventListener('abort', cancel)
        resolve(outcome)
      })
      this.listener.send({ jsonrpc: '2.0', id, method, params })
    })
  }

  receive(message: JsonObject): void {
    const { id, method } = message
    const params = isJsonObject(message.params) ? message.params : {}
    if (typeof method !== 'string') this.#receiveAnswer(message)
    else if (id !== undefined) void this.#respond(id, method, params)
    else if (method === 'notifications/cancelled' && this.#incoming.has(params.requestId))
      this.#incoming.get(params.requestId)?.abort()
    else this.listener.onNotification(method, params)
  }

  #receiveAnswer({ id, result, error }: JsonObject): void {
    const resolve = this.#pending.get(id)
    this.#pending.delete(id)
    if (isJsonObject(error)) {
      const { code, message, data } = error
      resolve?.({ error: { code: Number(code), message: String(message), ...(data !== undefined && { data }) } })
    } else resolve?.({ result: isJsonObject(result) ? result : {} })
  }

  async #respond(id: unknown, method: string, params: JsonObject): Promise<void> {
    const withdrawal = new AbortController()
    this.#incoming.set(id, withdrawal)
    const outcome = await this.listener.onRequest(method, params, withdrawal.signal)
    this.#incoming.delete(id)
    if (!withdrawal.signal.aborted && this.#closedBecause === undefined)
      this.listener.send({ jsonrpc: '2.0', id, ...outcome })
  }

  async #answerAll(requests: unknown, signal = new AbortController().signal): Promise<JsonObject> {
    const entries = isJsonObject(requests) ? Object.entries(requests) : []
    const answers = entries.map(async ([key, request]): Promise<readonly [string, unknown]> => {
      const { method, params } = isJsonObject(request) ? request : {}
      const outcome = await this.listener.onRequest(String(method), isJsonObject(params) ? params : {}, signal)
      return [key, 'result' in outcome ? outcome.result : { action: 'cancel' }]
    })
    return Object.fromEntries(await Promise.all(answers))
  }

  /** Answers everything that is open with this reason, a sentence. */
  close(reason: string): void {
    this.#closedBecause ??= reason
    for (const resolve of this.#pending.values()) resolve(closed(reason))
    for (const withdrawal of this.#incoming.values()) withdrawal.abort()
    this.#pending.clear()
  }
}

/** The answer to a request of the server that this client does not know. */
export function unknownMethod(method: string): RpcOutcome {
  return { error: { code: METHOD_NOT_FOUND, message: `The inspector does not know ${method}.` } }
}

function closed(message: string): RpcOutcome {
  return { error: { code: CLOSED, message } }
}

function cancelled(): RpcOutcome {
  return closed('The call was cancelled.')
}

/** What this client declares: everything that the revision has and a person can answer. */
function capabilitiesAt(revision: string): JsonObject {
  return {
    roots: {},
    sampling: {},
    ...(revision === '2025-06-18' && { elicitation: {} }),
    ...(revision > '2025-06-18' && { elicitation: { form: {}, url: {} } }),
  }
}

function readServer(result: JsonObject, info: unknown, revision: string): ConnectedServer {
  const { name, title, version } = isJsonObject(info) ? info : {}
  return {
    name: [title, name].find((text) => typeof text === 'string')?.toString() ?? 'unnamed',
    version: typeof version === 'string' ? version : '',
    revision,
    instructions: typeof result.instructions === 'string' ? result.instructions : '',
    capabilities: isJsonObject(result.capabilities) ? result.capabilities : {},
  }
}

function listChangesOf(capabilities: JsonObject): JsonObject {
  const changing = ['tools', 'resources', 'prompts'].filter((list) => {
    const capability = capabilities[list]
    return isJsonObject(capability) && capability.listChanged === true
  })
  return Object.fromEntries(changing.map((list) => [`${list}ListChanged`, true]))
}
