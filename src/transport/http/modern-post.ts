// POST /mcp at 2026-07-28: stateless. Headers that repeat parts of the body must match it.

import { isObject } from '../../lib/json.js'
import { errorText, Rejection, type Notification, type Request, type Response } from '../../protocol/message.js'
import { checkMirrored, checkParameters, checkVersion } from '../../protocol/mirrored-headers.js'
import { readModernClient, requireVersion } from '../../protocol/modern.js'
import { INVALID_REQUEST, ProtocolError } from '../../protocol/protocol-error.js'
import type { House } from './house.js'
import { LiveAnswer, statusOf } from './live-answer.js'
import type { Visit } from './visit.js'

export function postModern(context: House, exchange: Visit, message: Request | Notification | Response): void {
  exchange.era = 'modern'
  if (message.kind === 'notification') return exchange.empty(202)
  if (message.kind === 'response') {
    return exchange.refuse({ status: 400, reason: 'At 2026-07-28 a client sends no responses' }, 'header')
  }
  const mismatch = findHeaderMismatch(context, exchange, message)
  if (mismatch) return exchange.json(statusOf(mismatch), mismatch.text)
  const { user } = exchange
  // Stateless: the session is that of the user.
  const session = context.converse({ user, session: `user:${user}` }, { stateless: true })
  const answer = new LiveAnswer(context, exchange)
  answer.give(session.receive(message, answer), session)
}

function findHeaderMismatch(
  { server }: House,
  { request: { headers } }: Visit,
  message: Request,
): Rejection | undefined {
  const { id, method } = message
  const params = isObject(message.params) ? message.params : {}
  try {
    checkVersion(headers, requireVersion(params))
    readModernClient(params)
    checkMirrored(headers, method, params)
    const { name, arguments: args } = params
    const entry = method === 'tools/call' && typeof name === 'string' ? server.catalogue.find(name) : undefined
    if (entry && entry.headers.length > 0) checkParameters(headers, args, entry.headers)
    return undefined
  } catch (error) {
    const protocolError = error instanceof ProtocolError ? error : new ProtocolError(INVALID_REQUEST, 'Invalid Request')
    return new Rejection(protocolError.code, errorText(id, protocolError), true)
  }
}
