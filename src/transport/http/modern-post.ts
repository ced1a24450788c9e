// POST /mcp at the modern revision: stateless. What the headers repeat is compared with the body before it is served.

import { isObject } from '../../lib/json.js'
import { errorText, Rejection, type Notification, type Request, type Response } from '../../protocol/message.js'
import { checkMirrored, checkParameters, checkVersion } from '../../protocol/mirrored-headers.js'
import { readModernClient, requireVersion } from '../../protocol/modern.js'
import { INVALID_REQUEST, ProtocolError } from '../../protocol/protocol-error.js'
import type { House } from './house.js'
import { LiveAnswer, statusOf } from './live-answer.js'
import type { Visit } from './visit.js'

export function postModern(house: House, visit: Visit, message: Request | Notification | Response): void {
  visit.era = 'modern'
  if (message.kind === 'notification') return visit.empty(202)
  if (message.kind === 'response') {
    return visit.refuse({ status: 400, reason: 'At 2026-07-28 a client sends no responses' }, 'header')
  }
  const refusal = contradiction(house, visit, message)
  if (refusal) return visit.json(statusOf(refusal), refusal.text)
  const { user } = visit
  // Stateless: what belongs to a session belongs to the user.
  const session = house.converse({ user, session: `user:${user}` }, { stateless: true })
  const answer = new LiveAnswer(house, visit)
  answer.give(session.receive(message, answer), session)
}

function contradiction({ server }: House, { request: { headers } }: Visit, message: Request): Rejection | undefined {
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
    const known = error instanceof ProtocolError ? error : new ProtocolError(INVALID_REQUEST, 'Invalid Request')
    return new Rejection(known.code, errorText(id, known), true)
  }
}
