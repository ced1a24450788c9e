// One conversation with a client: what was negotiated, which requests are in flight, and what each message is due.
// The era is decided per request: modern `_meta` is served statelessly, everything else at the negotiated revision.

import { isObject, type JsonObject } from '../lib/json.js'
import { Exchange, type Client, type Outlet } from './exchange.js'
import { errorText, malformed, resultText } from './message.js'
import type { Batch, Message, Notification, Request } from './message.js'
import { initializeMembers, LEGACY_METHODS, MODERN_METHODS, type Method } from './methods.js'
import { completeResult, isModern, readModernClient } from './modern.js'
import { INTERNAL_ERROR, INVALID_PARAMS, INVALID_REQUEST, METHOD_NOT_FOUND, ProtocolError } from './protocol-error.js'
import { agreeOn, MODERN_REVISION, NEWEST_LEGACY, type LegacyRevision, type Revision } from './revision.js'
import type { Server } from './server.js'

// No client works on so many things at once; without a bound, one that does not read its answers fills the memory.
const MAX_IN_FLIGHT = 2000
const TOO_MANY = `Too many requests at once: ${MAX_IN_FLIGHT} are being worked on. Wait for some of them to finish.`

const MAX_BATCH = 1000
const MAX_ECHO = 100

export interface Session {
  /** What a message is due: nothing, an answer, or the promise of either. Progress goes to the outlet meanwhile. */
  receive(message: Message | Batch, outlet: Outlet): Due
  /** Resolves when nothing is due any more. */
  settled(): Promise<void>
  /** Stops the work of every request in flight, and of those that still come. */
  abort(reason: string): void
}

export type Answer = string | undefined
export type Due = Answer | Promise<Answer>

export function createSession(server: Server, revision: LegacyRevision = NEWEST_LEGACY): Session {
  let legacy: Client = { revision, capabilities: {} }
  let stopping: string | undefined
  // A set rather than a map by id: nothing stops a client from using an id twice at once.
  const inFlight = new Set<Exchange>()
  const promised = new Set<Promise<Answer>>()

  function receive(message: Message | Batch, outlet: Outlet): Due {
    const due = message.kind === 'batch' ? answerBatch(message, outlet) : answerOne(message, outlet)
    if (!(due instanceof Promise)) return due
    promised.add(due)
    void due.then(() => promised.delete(due))
    return due
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
      const modern = isModern(request, params)
      const client = modern ? readModernClient(params) : legacy
      const method = (modern ? MODERN_METHODS : LEGACY_METHODS).get(request.method)
      if (!method) throw new ProtocolError(METHOD_NOT_FOUND, `Method not found: ${request.method.slice(0, MAX_ECHO)}`)
      return work(method, new Exchange(request, params, client, outlet))
    } catch (error) {
      return errorAnswer(request, error)
    }
  }

  function work(method: Method, exchange: Exchange): Due {
    try {
      if (inFlight.size >= MAX_IN_FLIGHT) throw new ProtocolError(INTERNAL_ERROR, TOO_MANY)
      const members = method(server, exchange)
      return members instanceof Promise ? workOn(exchange, members) : answer(exchange, members)
    } catch (error) {
      exchange.close()
      return errorAnswer(exchange.request, error)
    }
  }

  async function workOn(exchange: Exchange, members: Promise<string>): Promise<Answer> {
    inFlight.add(exchange)
    if (stopping !== undefined) exchange.abort(stopping)
    try {
      const text = await members
      return exchange.cancelled ? undefined : answer(exchange, text)
    } catch (error) {
      return exchange.cancelled ? undefined : errorAnswer(exchange.request, exchange.stopped ? unfinished() : error)
    } finally {
      exchange.close()
      inFlight.delete(exchange)
    }
  }

  function answer(exchange: Exchange, members: string): string {
    exchange.close()
    const { request, client } = exchange
    const isComplete = client.revision === MODERN_REVISION
    return resultText(request.id, isComplete ? completeResult(members, server.signature) : `{${members}}`)
  }

  function errorAnswer(request: Request, error: unknown): string {
    if (error instanceof ProtocolError) return errorText(request.id, error)
    server.logError(error)
    const message = `Internal error in ${request.method}; see the server's log`
    return errorText(request.id, { code: INTERNAL_ERROR, message })
  }

  function unfinished(): ProtocolError {
    return new ProtocolError(INTERNAL_ERROR, `Not finished: ${stopping ?? 'stopped'}`)
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

  function note({ method, params, requestId }: Notification): void {
    if (method !== 'notifications/cancelled' || requestId === undefined) return
    const reason = isObject(params) && typeof params.reason === 'string' ? params.reason : 'cancelled by the client'
    for (const exchange of inFlight) if (exchange.request.id === requestId) exchange.cancel(reason)
  }

  return {
    receive,
    async settled() {
      while (promised.size > 0) await Promise.all(promised)
    },
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
