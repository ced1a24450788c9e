// Handles completion/complete: suggests values for prompt arguments and resource template variables. Loaded by
// optional-methods. Calls the completers of the definitions; no I/O of its own.

import type { Completer } from '../definitions/prompt.js'
import { INVALID_PARAMS, ProtocolError } from '../errors.js'
import { isJsonObject, type JsonObject } from '../json/json.js'
import { stringifyMembers } from '../jsonrpc/result.js'
import type { ResourceRegistry } from '../registry/resource-registry.js'
import { RequestCallContext, type RequestContext } from '../request/request-context.js'
import type { McpServer } from '../server/mcp-server.js'
import type { MethodTable } from './method.js'

const MAX_VALUES = 100

async function complete({ resourceRegistry }: McpServer, request: RequestContext): Promise<string> {
  const { ref, argument, context } = request.params
  if (!isJsonObject(argument) || typeof argument.name !== 'string' || typeof argument.value !== 'string') {
    throw new ProtocolError(INVALID_PARAMS, "Invalid params: 'argument' must have a 'name' and a 'value'")
  }
  const completeValue = findCompleter(resourceRegistry, ref, argument.name)
  const call = new RequestCallContext(request)
  const matches = (await completeValue?.(argument.value, readContextArguments(context), call)) ?? []
  const values = matches.slice(0, MAX_VALUES)
  return stringifyMembers({ completion: { values, total: matches.length, hasMore: matches.length > values.length } })
}

/** Returns undefined if the argument exists but has no suggestions. */
function findCompleter(registry: ResourceRegistry, ref: unknown, name: string): Completer | undefined {
  const { type, name: promptName, uri } = isJsonObject(ref) ? ref : {}
  if (type === 'ref/prompt' && typeof promptName === 'string') {
    const prompt = registry.findPrompt(promptName)
    if (prompt) return prompt.arguments?.find((argument) => argument.name === name)?.complete
  }
  if (type === 'ref/resource' && typeof uri === 'string') {
    const template = registry.findTemplate(uri)
    if (template)
      return template.complete && Object.hasOwn(template.complete, name) ? template.complete[name] : undefined
    if (registry.findByUri(uri)) return undefined
  }
  throw new ProtocolError(INVALID_PARAMS, "Invalid params: 'ref' names no prompt and no resource of this server")
}

function readContextArguments(context: unknown): Readonly<Record<string, string>> {
  const contextArguments: JsonObject = isJsonObject(context) && isJsonObject(context.arguments) ? context.arguments : {}
  const strings = Object.entries(contextArguments).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  )
  return Object.fromEntries(strings)
}

export const COMPLETION_METHODS: MethodTable = { 'completion/complete': complete }
