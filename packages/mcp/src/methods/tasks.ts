// tasks/get, tasks/update and tasks/cancel. Loaded by optional-methods; reads and writes the store of task handles.

import { INVALID_PARAMS, MISSING_CAPABILITY, ProtocolError } from '../errors.js'
import { isJsonObject } from '../json/json.js'
import type { TaskHandles } from '../protocol-tasks/task-handles.js'
import type { RequestContext } from '../request/request-context.js'
import { readClientAbilities, TASKS_EXTENSION } from '../revisions/client-profile.js'
import type { McpServer } from '../server/mcp-server.js'
import { type MethodTable, requireStringParam } from './method.js'

export const TASK_METHODS: MethodTable = {
  'tasks/get': async (server, context) => {
    const handles = await requireTaskHandles(server, context)
    return handles.describe(context.session.caller.user, requireStringParam(context, 'taskId'))
  },
  'tasks/update': async (server, context) => {
    const handles = await requireTaskHandles(server, context)
    const { inputResponses } = context.params
    if (!isJsonObject(inputResponses)) {
      throw new ProtocolError(INVALID_PARAMS, "Invalid params: 'inputResponses' must be an object")
    }
    await handles.answer(context.session.caller.user, requireStringParam(context, 'taskId'), inputResponses)
    return ''
  },
  'tasks/cancel': async (server, context) => {
    const handles = await requireTaskHandles(server, context)
    await handles.cancel(context.session.caller.user, requireStringParam(context, 'taskId'))
    return ''
  },
}

function requireTaskHandles(server: McpServer, { client }: RequestContext): Promise<TaskHandles> {
  if (!readClientAbilities(client).tasks) {
    const requiredCapabilities = { extensions: { [TASKS_EXTENSION]: {} } }
    throw new ProtocolError(MISSING_CAPABILITY, 'Missing required client capability', { requiredCapabilities })
  }
  return server.taskHandles()
}
