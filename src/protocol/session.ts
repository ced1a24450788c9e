// One conversation with a client: what was negotiated, which requests are in flight, and what each message is due.
// The era is decided per request: modern `_meta` is served statelessly, everything else at the negotiated revision.

import { isObject, type JsonObject } from '../lib/json.js'
import { Exchange, type Client, type Outlet } from './exchange.js'
import { errorText, malformed, readText, resultText } from './message.js'
import type { Batch, Message, Notification, Request } from './message.js'
import { initializeMembers, LEGACY_METHODS, MODERN_METHODS, modernMeta, type Method } from './methods.js'
import {
  INTERNAL_ERROR,
  INVALID_PARAMS,
  INVALID_REQUEST,
  METHOD_NOT_FOUND,
  ProtocolError,
  UNSUPPORTED_VERSION,
} from './protocol-error.js'
import { agreeOn, MODERN_REVISION, NEWEST_LEGACY, SUPPORTED_REVISIONS } from './revision.js'
import type { LegacyRevision, Revision } from './revision.js'
import type { Server } from './server.js'

const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion'
const CAPABILITIES_KEY = 'io.modelcontextprotocol/clientCapabilities'

// No client works on so many things at once; without a bound, one that does not read its answers fills the memory.
const MAX_IN_FLIGHT = 2000
const TOO_MANY = `Too many requests at once: ${MAX_IN_FLIGHT} are being worked on. Wait for some of them to finish.`

const MAX_BATCH = 1000
const MAX_ECHO = 100

export interface Session {
  /** Takes one message or batch as text; what it is due goes to the outlet, now or later. */
  receive(text: string, outlet: Outlet): void
  /** Resolves when no request is in flight. */
  settled(): Promise<void>
  /** Stops the work of every request in flight, and of those that still come. */
  abort(reason: string): void
}

type Answer = string | undefined
type Due = Answer | Promise<Answer>

export function createSession(server: Server, revision: LegacyRevision = NEWEST_LEGACY): Session {
  let legacy: Client = { revision, capabilities: {} }
  const inFlight = new Set<Exchange>()
  const waiting: (() => void)[] = []
  const meta = modernMeta(server)
  let stopping: string | undefined

  function receive(text: string, outlet: Outlet): void {
    const message = readText(text)
    const answer = message.kind === 'batch' ? answerBatch(message, outlet) : answerOne(message, outlet)
    if (answer instanceof Promise) void answer.then((later) => later !== undefined && outlet.send(later))
    else if (answer !== undefined) outlet.send(answer)
  }

  function answerBatch(batch: Batch, outlet: Outlet): Due {
    const refusal = refuseBatch(batch.size, legacy.revision)
    if (refusal !== undefined) return malformed(INVALID_REQUEST, `Invalid Request: ${refusal}`).answer
    const answers = batch
      .read()
      .map((message) =>
        message.kind === 'request' && message.method === 'initialize'
          ? malformed(INVALID_REQUEST, 'Invalid Request: initialize must not be part of a batch', message.id).answer
          : answerOne(message, outlet),
      )
    const ready = answers.filter(isReady)
    return ready.length === answers.length ? joined(ready) : joinedLater(answers)
  }

  function answerOne(message: Message, outlet: Outlet): Due {
    if (message.kind === 'request') return respond(message, outlet)
    if (message.kind === 'notification') note(message)
    return message.kind === 'malformed' ? message.answer : undefined
  }

  function respond(request: Request, outlet: Outlet): Due {
    try {
      const params = readParams(request)
      if (request.method === 'initialize') return resultText(request.id, `{${initialize(params)}}`)
      const modern = request.method === 'server/discover' || hasModernMeta(params)
      const client = modern ? readModernClient(params) : legacy
      const method = (modern ? MODERN_METHODS : LEGACY_METHODS).get(request.method)
      if (!method) throw new ProtocolError(METHOD_NOT_FOUND, `Method not found: ${request.method.slice(0, MAX_ECHO)}`)
      return work(method, new Exchange(request, params, client, outlet))
    } catch (error) {
      return failure(request, error)
    }
  }

  function work(method: Method, exchange: Exchange): Due {
    try {
      if (inFlight.size >= MAX_IN_FLIGHT) throw new ProtocolError(INTERNAL_ERROR, TOO_MANY)
      const members = method(server, exchange)
      return members instanceof Promise ? respondLater(exchange, members) : result(exchange, members)
    } catch (error) {
      exchange.close()
      return failure(exchange.request, error)
    }
  }

  function respondLater(exchange: Exchange, members: Promise<string>): Promise<Answer> {
    const { request } = exchange
    inFlight.add(exchange)
    if (stopping !== undefined) exchange.abort(stopping)
    const finish = (answer: () => string): Answer => {
      inFlight.delete(exchange)
      if (inFlight.size === 0) for (const wake of waiting.splice(0)) wake()
      if (exchange.cancelled) return undefined
      exchange.close()
      return answer()
    }
    return members.then(
      (text) => finish(() => result(exchange, text)),
      (error: unknown) => finish(() => (exchange.stopped ? stopped(request) : failure(request, error))),
    )
  }

  function stopped(request: Request): string {
    return errorText(request.id, { code: INTERNAL_ERROR, message: `Not finished: ${stopping ?? 'stopped'}` })
  }

  function result(exchange: Exchange, members: string): string {
    exchange.close()
    const { request, client } = exchange
    if (client.revision !== MODERN_REVISION) return resultText(request.id, `{${members}}`)
    return resultText(request.id, `{"resultType":"complete",${members},${meta}}`)
  }

  function failure(request: Request, error: unknown): string {
    if (error instanceof ProtocolError) return errorText(request.id, error)
    server.logError(error)
    return errorText(request.id, {
      code: INTERNAL_ERROR,
      message: `Internal error in ${request.method}; see the server's log`,
    })
  }

  function initialize(params: JsonObject): string {
    const { protocolVersion, capabilities } = params
    if (protocolVersion !== undefined && typeof protocolVersion !== 'string') {
      throw new ProtocolError(INVALID_PARAMS, "Invalid params: 'protocolVersion' must be a string")
    }
    const agreed = agreeOn(protocolVersion)
    legacy = { revision: agreed, capabilities: isObject(capabilities) ? capabilities : {} }
    return initializeMembers(server, agreed)
  }

  function note(notification: Notification): void {
    const { method, params, requestId } = notification
    if (method !== 'notifications/cancelled' || requestId === undefined) return
    const reason = isObject(params) && typeof params.reason === 'string' ? params.reason : 'cancelled by the client'
    // A set rather than a map: nothing stops a client from using an id twice at once.
    for (const exchange of inFlight) if (exchange.request.id === requestId) exchange.cancel(reason)
  }

  return {
    receive,
    settled: () => (inFlight.size === 0 ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve))),
    abort(reason) {
      stopping = reason
      for (const exchange of inFlight) exchange.abort(reason)
    },
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
  const due = answers.filter((answer) => answer !== undefined)
  return due.length > 0 ? `[${due.join(',')}]` : undefined
}

function readParams({ params }: Request): JsonObject {
  if (params === undefined) return {}
  if (isObject(params)) return params
  throw new ProtocolError(INVALID_PARAMS, "Invalid params: 'params' must be an object")
}

function hasModernMeta({ _meta: meta }: JsonObject): boolean {
  return isObject(meta) && (meta[VERSION_KEY] !== undefined || meta[CAPABILITIES_KEY] !== undefined)
}

function readModernClient({ _meta: given }: JsonObject): Client {
  const meta = isObject(given) ? given : {}
  const requested = meta[VERSION_KEY]
  if (typeof requested !== 'string') {
    throw new ProtocolError(INVALID_PARAMS, `Invalid params: '_meta["${VERSION_KEY}"]' must be a string`)
  }
  if (requested !== MODERN_REVISION) {
    const data = { supported: SUPPORTED_REVISIONS, requested }
    throw new ProtocolError(UNSUPPORTED_VERSION, 'Unsupported protocol version', data)
  }
  const capabilities = meta[CAPABILITIES_KEY]
  if (!isObject(capabilities)) {
    throw new ProtocolError(INVALID_PARAMS, `Invalid params: '_meta["${CAPABILITIES_KEY}"]' must be an object`)
  }
  return { revision: MODERN_REVISION, capabilities }
}
