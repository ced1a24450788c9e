// tasks/get, tasks/update and tasks/cancel: asking about calls that outlive their answer.

import { isObject } from '../../lib/json.js'
import { abilitiesOf, TASKS_EXTENSION } from '../client.js'
import type { Exchange } from '../exchange.js'
import { INVALID_PARAMS, MISSING_CAPABILITY, ProtocolError } from '../protocol-error.js'
import type { Server } from '../server.js'
import type { Tickets } from '../tickets.js'
import { textParam, type Methods } from './method.js'

export const TICKETS: Methods = {
  'tasks/get': async (server, exchange) => {
    const tickets = await open(server, exchange)
    return tickets.describe(exchange.conversation.peer.user, textParam(exchange, 'taskId'))
  },
  'tasks/update': async (server, exchange) => {
    const tickets = await open(server, exchange)
    const { inputResponses } = exchange.params
    if (!isObject(inputResponses)) {
      throw new ProtocolError(INVALID_PARAMS, "Invalid params: 'inputResponses' must be an object")
    }
    await tickets.answer(exchange.conversation.peer.user, textParam(exchange, 'taskId'), inputResponses)
    return ''
  },
  'tasks/cancel': async (server, exchange) => {
    const tickets = await open(server, exchange)
    await tickets.cancel(exchange.conversation.peer.user, textParam(exchange, 'taskId'))
    return ''
  },
}

function open(server: Server, { client }: Exchange): Promise<Tickets> {
  if (!abilitiesOf(client).defer) {
    const requiredCapabilities = { extensions: { [TASKS_EXTENSION]: {} } }
    throw new ProtocolError(MISSING_CAPABILITY, 'Missing required client capability', { requiredCapabilities })
  }
  return server.tickets()
}
