// completion/complete: suggests values for prompt arguments and resource template variables.

import { isObject, type JsonObject } from '../../lib/json.js'
import type { Complete } from '../../tools/prompt.js'
import type { Exchange } from '../exchange.js'
import { INVALID_PARAMS, ProtocolError } from '../protocol-error.js'
import { memberText } from '../reply.js'
import type { Library } from '../library.js'
import type { Server } from '../server.js'
import type { Methods } from './method.js'

const MAX_VALUES = 100

async function complete({ library }: Server, { params }: Exchange): Promise<string> {
  const { ref, argument, context } = params
  if (!isObject(argument) || typeof argument.name !== 'string' || typeof argument.value !== 'string') {
    throw new ProtocolError(INVALID_PARAMS, "Invalid params: 'argument' must have a 'name' and a 'value'")
  }
  const completeValue = findCompleter(library, ref, argument.name)
  const matches = completeValue ? await completeValue(argument.value, readContextArguments(context)) : []
  const values = matches.slice(0, MAX_VALUES)
  return memberText({ completion: { values, total: matches.length, hasMore: matches.length > values.length } })
}

/** Returns undefined if the argument exists but has no suggestions. */
function findCompleter(registry: Library, ref: unknown, name: string): Complete | undefined {
  const { type, name: promptName, uri } = isObject(ref) ? ref : {}
  if (type === 'ref/prompt' && typeof promptName === 'string') {
    const prompt = registry.prompt(promptName)
    if (prompt) return prompt.arguments?.find((argument) => argument.name === name)?.complete
  }
  if (type === 'ref/resource' && typeof uri === 'string') {
    const template = registry.template(uri)
    if (template)
      return template.complete && Object.hasOwn(template.complete, name) ? template.complete[name] : undefined
    if (registry.at(uri)) return undefined
  }
  throw new ProtocolError(INVALID_PARAMS, "Invalid params: 'ref' names no prompt and no resource of this server")
}

function readContextArguments(context: unknown): Readonly<Record<string, string>> {
  const contextArguments: JsonObject = isObject(context) && isObject(context.arguments) ? context.arguments : {}
  const strings = Object.entries(contextArguments).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  )
  return Object.fromEntries(strings)
}

export const COMPLETION: Methods = { 'completion/complete': complete }
