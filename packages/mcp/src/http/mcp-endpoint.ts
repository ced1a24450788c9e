// Handles POST, GET and DELETE of /mcp, for router.ts: chooses the protocol by message and headers: the modern `_meta`
// or version, a session, a legacy version, or none of them. No I/O of its own: answers through the exchange.

import { Failure } from '../errors.js'
import { isJsonObject } from '../json/json.js'
import { type JsonRpcBatch, type JsonRpcMessage, parseMessage } from '../jsonrpc/message.js'
import { isModernRequest } from '../revisions/modern-request.js'
import { isLegacyRevision, MODERN_REVISION, SUPPORTED_REVISIONS } from '../revisions/revision.js'
import { SHUTTING_DOWN, tooManyRequests } from './host-policy.js'
import type { HttpContext } from './http-context.js'
import type { HttpExchange } from './http-exchange.js'
import type { HttpSession } from './http-session.js'
import { handleInitialize, handleSessionlessPost, handleSessionPost } from './legacy-post.js'
import { handleModernPost } from './modern-post.js'
import { refuseScope } from './refuse-scope.js'

const UNKNOWN_SESSION = { status: 404, reason: 'Unknown session; start a new one with initialize' }

/** `values`: the number of values in the body, if it is known. */
export function handlePost(context: HttpContext, exchange: HttpExchange, body: string, values?: number): void {
  const message = parseMessage(body, values)
  recordRpcMethod(exchange, message)
  if (message.kind === 'malformed') return exchange.json(400, message.answer.text)
  if (refuseNewWork(context, exchange, message) || refuseScope(context, exchange, message)) return
  const { callPreparation } = context
  if (callPreparation.isReadyFor(message)) return dispatchPost(context, exchange, message)
  callPreparation
    .finish()
    .then(() => {
      if (exchange.response.destroyed) exchange.clientClosed()
      else dispatchPost(context, exchange, message)
    })
    .catch((error: unknown) => refuseFailed(context, exchange, error))
}

function dispatchPost(
  context: HttpContext,
  exchange: HttpExchange,
  message: Exclude<ReturnType<typeof parseMessage>, { readonly kind: 'malformed' }>,
): void {
  const { 'mcp-session-id': id, 'mcp-protocol-version': version } = exchange.request.headers
  if (version === MODERN_REVISION || (message.kind !== 'batch' && isModernMessage(message))) {
    if (message.kind !== 'batch') return handleModernPost(context, exchange, message)
    return exchange.refuse({ status: 400, reason: 'At 2026-07-28 a body is one message, not a batch' }, 'header')
  }
  if (typeof id === 'string') return handlePostWithId(context, exchange, message, id)
  if (message.kind === 'request' && message.method === 'initialize')
    return void handleInitialize(context, exchange, message)
  const { unversioned: unversionedClients } = context.extensions
  if (unversionedClients && message.kind !== 'batch' && (version === undefined || version === '2024-11-05')) {
    return unversionedClients.post(context, exchange, message)
  }
  if (version === undefined) return handleSessionlessPost(context, exchange, message, '2025-03-26')
  if (isLegacyRevision(version)) return handleSessionlessPost(context, exchange, message, version)
  refuseVersion(exchange)
}

/** Refuses new requests during shutdown, and batches that exceed the rate limit. */
export function refuseNewWork(
  context: HttpContext,
  exchange: HttpExchange,
  message: JsonRpcMessage | JsonRpcBatch,
): boolean {
  if (message.kind !== 'request' && message.kind !== 'batch') return false
  const retryAfter =
    message.kind === 'batch' ? context.rateLimits.countRequest(exchange.user, Math.max(0, message.size - 1)) : undefined
  if (context.isShuttingDown) exchange.refuse(SHUTTING_DOWN, 'stopping')
  else if (retryAfter) exchange.refuse(tooManyRequests('Too many requests', retryAfter.retryAfterSeconds), 'rate')
  return context.isShuttingDown || retryAfter !== undefined
}

/** GET: the stream of a session, or the rest of a stream whose connection broke. */
export function handleGet(context: HttpContext, exchange: HttpExchange): void {
  exchange.protocol = 'legacy'
  const id = requireSessionId(exchange)
  if (id !== undefined) withSession(context, exchange, id, (httpSession) => openSessionStream(exchange, httpSession))
}

function openSessionStream(exchange: HttpExchange, httpSession: HttpSession): void {
  if (!exchange.accepts('text/event-stream')) {
    return exchange.refuse({ status: 406, reason: 'Accept must include text/event-stream' }, 'header')
  }
  const { 'last-event-id': lastEventId } = exchange.request.headers
  const resumePoint = typeof lastEventId === 'string' ? httpSession.findResumePoint(lastEventId) : undefined
  // Clients repeat the request after other errors; a 405 makes them stop.
  if (resumePoint?.track.isCompleteAfter(resumePoint.sequence)) {
    return exchange.refuse(
      { status: 405, reason: 'Everything on that stream was delivered', headers: { allow: 'POST' } },
      'session',
    )
  }
  const { track: stream, sequence } = resumePoint ?? { track: httpSession.serverStream, sequence: undefined }
  stream.attach(exchange.stream(), sequence)
}

export function handleDelete(context: HttpContext, exchange: HttpExchange): void {
  exchange.protocol = 'legacy'
  const id = requireSessionId(exchange)
  if (id === undefined) return
  withSession(context, exchange, id, (httpSession) => {
    const removed = context.sessions.end(httpSession, 'the client ended the session')
    if (!removed) return exchange.empty(204)
    removed.then(
      () => exchange.empty(204),
      (error: unknown) => refuseFailed(context, exchange, error),
    )
  })
}

function requireSessionId(exchange: HttpExchange): string | undefined {
  const { 'mcp-session-id': id } = exchange.request.headers
  if (typeof id === 'string') return id
  const reason = 'Send messages by POST; a stream needs the id of a session in Mcp-Session-Id'
  exchange.refuse({ status: 405, reason, headers: { allow: 'POST' } }, 'method')
  return undefined
}

/** Finds a session, continues one of another server, or refuses the request. */
function withSession(
  context: HttpContext,
  exchange: HttpExchange,
  id: string,
  serve: (httpSession: HttpSession) => void,
): void {
  exchange.session = id
  const { sessions } = context
  const found = sessions.find(id, exchange.user, exchange.server)
  if (found) return serve(found)
  if (!sessions.canRestore) return exchange.refuse(UNKNOWN_SESSION, 'session')
  sessions
    .restore(id, exchange.user, exchange.server)
    .then((restored) => {
      if (exchange.response.destroyed) exchange.clientClosed()
      else if (restored) serve(restored)
      else exchange.refuse(UNKNOWN_SESSION, 'session')
    })
    .catch((error: unknown) => refuseFailed(context, exchange, error))
}

function refuseFailed(context: HttpContext, exchange: HttpExchange, error: unknown): void {
  context.server.logError(error)
  if (exchange.response.headersSent) return void exchange.response.destroy()
  const refusal =
    error instanceof Failure
      ? { status: 503, reason: `${error.message}. Nothing was done`, headers: { 'retry-after': '1' } }
      : { status: 500, reason: "Internal error; see the server's log" }
  exchange.refuse(refusal, 'error')
}

function handlePostWithId(
  context: HttpContext,
  exchange: HttpExchange,
  message: JsonRpcMessage | JsonRpcBatch,
  id: string,
): void {
  withSession(context, exchange, id, (httpSession) => postToSession(context, exchange, message, httpSession))
}

function postToSession(
  context: HttpContext,
  exchange: HttpExchange,
  message: JsonRpcMessage | JsonRpcBatch,
  httpSession: HttpSession,
): void {
  const { 'mcp-protocol-version': version } = exchange.request.headers
  if (version !== undefined && !isLegacyRevision(version)) return refuseVersion(exchange)
  const { unversioned: unversionedClients } = context.extensions
  if (unversionedClients && httpSession.session.negotiatedRevision === '2024-11-05' && message.kind !== 'batch') {
    unversionedClients.post(context, exchange, message, httpSession.session)
  } else handleSessionPost(exchange, httpSession, message)
}

function refuseVersion(exchange: HttpExchange): void {
  const reason = `Unsupported MCP-Protocol-Version; supported: ${SUPPORTED_REVISIONS.join(', ')}`
  exchange.refuse({ status: 400, reason }, 'header')
}

function isModernMessage(message: JsonRpcMessage): boolean {
  if (message.kind !== 'request' && message.kind !== 'notification') return false
  return isJsonObject(message.params)
    ? isModernRequest(message.method, message.params)
    : isModernRequest(message.method, {})
}

function recordRpcMethod(exchange: HttpExchange, message: JsonRpcMessage | JsonRpcBatch): void {
  if (message.kind === 'batch') exchange.rpcMethod = 'batch'
  if (message.kind !== 'request' && message.kind !== 'notification') return
  exchange.rpcMethod = message.method
  const { params } = message
  if (!isJsonObject(params)) return
  const { name, uri, _meta: meta } = params
  if (typeof name === 'string') exchange.name = name
  else if (typeof uri === 'string') exchange.name = uri
  if (isJsonObject(meta)) exchange.metaTraceparent = meta.traceparent
}
