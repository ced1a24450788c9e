// Handles POST /mcp at the modern revision, 2026-07-28: stateless. Headers that repeat parts of the body must match it.
// Called by mcp-endpoint. No I/O of its own: answers through the exchange.

import { statelessCaller } from '../definitions/caller.js'
import { INVALID_REQUEST, ProtocolError } from '../errors.js'
import { isJsonObject } from '../json/json.js'
import {
  ErrorAnswer,
  formatRpcError,
  type JsonRpcNotification,
  type JsonRpcRequest,
  type JsonRpcResponse,
} from '../jsonrpc/message.js'
import { readModernClient, readRequestedVersion } from '../revisions/modern-request.js'
import { checkMethodHeaders, checkParameterHeaders, checkVersionHeader } from './header-body-match.js'
import { findHeaderParameters } from './header-parameters.js'
import type { HttpContext } from './http-context.js'
import type { HttpExchange } from './http-exchange.js'
import { httpStatusOf, PostResponse } from './post-response.js'

export function handleModernPost(
  context: HttpContext,
  exchange: HttpExchange,
  message: JsonRpcRequest | JsonRpcNotification | JsonRpcResponse,
): void {
  exchange.protocol = 'modern'
  if (message.kind === 'notification') return exchange.empty(202)
  if (message.kind === 'response') {
    return exchange.refuse({ status: 400, reason: 'At 2026-07-28 a client sends no responses' }, 'header')
  }
  const mismatch = findHeaderMismatch(context, exchange, message)
  if (mismatch) return exchange.json(httpStatusOf(mismatch), mismatch.text)
  const session = context.createSession(statelessCaller(exchange.user), { server: exchange.server, isStateless: true })
  const answer = new PostResponse(context, exchange)
  answer.respond(session.receive(message, answer, exchange.auth), session)
}

function findHeaderMismatch(
  context: HttpContext,
  { request: { headers }, server = context.server }: HttpExchange,
  message: JsonRpcRequest,
): ErrorAnswer | undefined {
  const { id, method } = message
  const params = isJsonObject(message.params) ? message.params : {}
  try {
    checkVersionHeader(headers, readRequestedVersion(params))
    readModernClient(params)
    checkMethodHeaders(headers, method, params)
    const { name, arguments: args } = params
    const entry = method === 'tools/call' && typeof name === 'string' ? server.toolRegistry.find(name) : undefined
    const repeated = entry ? findHeaderParameters(entry) : []
    if (repeated.length > 0) checkParameterHeaders(headers, args, repeated)
    return undefined
  } catch (error) {
    const protocolError = error instanceof ProtocolError ? error : new ProtocolError(INVALID_REQUEST, 'Invalid Request')
    return new ErrorAnswer(protocolError.code, formatRpcError(id, protocolError), true)
  }
}
