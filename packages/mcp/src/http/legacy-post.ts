// Handles POST /mcp on legacy revisions (before 2026-07-28): initialize, messages in a session, messages without one. In a
// session, long calls are answered on a resumable stream, and a broken connection cancels nothing; without a session, a
// call ends with its connection. Called by mcp-endpoint.ts. Writes the HTTP response.

import { statelessCaller } from '../definitions/caller.js'
import {
  ErrorAnswer,
  getAnswerText,
  type JsonRpcBatch,
  type JsonRpcMessage,
  type JsonRpcRequest,
  type MessageSink,
} from '../jsonrpc/message.js'
import type { LegacyRevision } from '../revisions/revision.js'
import type { HttpContext } from './http-context.js'
import { type HttpExchange, reportWhenWritten } from './http-exchange.js'
import type { HttpSession } from './http-session.js'
import { PostResponse } from './post-response.js'

/** Discards everything but the response. */
export const DISCARD_SINK: MessageSink = { notify: () => {} }

/** `initialize`: opens a session and returns its id. */
export async function handleInitialize(
  context: HttpContext,
  exchange: HttpExchange,
  request: JsonRpcRequest,
): Promise<void> {
  exchange.protocol = 'legacy'
  const httpSession = context.sessions.open(exchange.user, exchange.server)
  const received = await httpSession.session.receive(request, DISCARD_SINK)
  const answer = getAnswerText(received) ?? ''
  const { negotiatedRevision: negotiated } = httpSession.session
  if (negotiated === undefined || received instanceof ErrorAnswer) {
    // It may have been stored although that was not confirmed.
    await context.sessions.end(httpSession, 'initialize failed')?.catch(() => undefined)
    return exchange.json(200, answer)
  }
  if (negotiated === '2024-11-05' && context.extensions.unversioned) exchange.protocol = 'armoriq'
  exchange.session = httpSession.id
  exchange.headers['mcp-session-id'] = httpSession.id
  if (exchange.accepts('text/event-stream')) exchange.event(answer)
  else exchange.json(200, answer)
}

export function handleSessionPost(
  exchange: HttpExchange,
  httpSession: HttpSession,
  message: JsonRpcMessage | JsonRpcBatch,
): void {
  exchange.protocol = 'legacy'
  const stream = httpSession.openStream()
  const acceptsStream = exchange.accepts('text/event-stream')
  const pendingAnswer = httpSession.session.receive(message, acceptsStream ? stream : DISCARD_SINK, exchange.auth)
  if (pendingAnswer instanceof Promise) exchange.holdMemoryUntil(pendingAnswer)
  if (acceptsStream && (stream.hasSent || pendingAnswer instanceof Promise)) {
    stream.attach(exchange.stream())
    void Promise.resolve(pendingAnswer).then((answer) => {
      reportWhenWritten(answer, stream.connection?.response)
      httpSession.closeStream(stream, getAnswerText(answer))
    })
    return
  }
  void Promise.resolve(pendingAnswer).then((answer) => {
    httpSession.closeStream(stream, undefined)
    const text = getAnswerText(answer)
    reportWhenWritten(answer, exchange.response)
    if (text === undefined) exchange.empty(202)
    else exchange.json(200, text)
  })
}

export function handleSessionlessPost(
  context: HttpContext,
  exchange: HttpExchange,
  message: JsonRpcMessage | JsonRpcBatch,
  revision: LegacyRevision,
): void {
  exchange.protocol = 'legacy'
  const { user, server } = exchange
  const session = context.createSession(statelessCaller(user), { server, revision, isStateless: true })
  const answer = new PostResponse(context, exchange, false)
  answer.respond(session.receive(message, answer, exchange.auth), session)
}
