// tasks/get, tasks/update and tasks/cancel.

import { isObject } from '../../lib/json.js'
import { abilitiesOf, TASKS_EXTENSION } from '../client.js'
import type { Exchange } from '../exchange.js'
import { INVALID_PARAMS, MISSING_CAPABILITY, ProtocolError } from '../protocol-error.js'
import type { Server } from '../server.js'
import type { Tickets } from '../tickets.js'
import { textParam, type Methods } from './method.js'

export const TICKETS: Methods = {
  'tasks/get': async (server, context) => {
    const handles = await requireTaskHandles(server, context)
    return handles.describe(context.conversation.peer.user, textParam(context, 'taskId'))
  },
  'tasks/update': async (server, context) => {
    const handles = await requireTaskHandles(server, context)
    const { inputResponses } = context.params
    if (!isObject(inputResponses)) {
      throw new ProtocolError(INVALID_PARAMS, "Invalid params: 'inputResponses' must be an object")
    }
    await handles.answer(context.conversation.peer.user, textParam(context, 'taskId'), inputResponses)
    return ''
  },
  'tasks/cancel': async (server, context) => {
    const handles = await requireTaskHandles(server, context)
    await handles.cancel(context.conversation.peer.user, textParam(context, 'taskId'))
    return ''
  },
}

function requireTaskHandles(server: Server, { client }: Exchange): Promise<Tickets> {
  if (!abilitiesOf(client).defer) {
    const requiredCapabilities = { extensions: { [TASKS_EXTENSION]: {} } }
    throw new ProtocolError(MISSING_CAPABILITY, 'Missing required client capability', { requiredCapabilities })
  }
  return server.tickets()
}
