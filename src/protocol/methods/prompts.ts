// prompts/list and prompts/get.

import { Failure } from '../../lib/failure.js'
import { isObject } from '../../lib/json.js'
import type { Prompt, PromptMessage } from '../../tools/prompt.js'
import type { Block } from '../../tools/tool.js'
import type { Exchange } from '../exchange.js'
import { projectPrompt } from '../offer-projection.js'
import { pageOf } from '../paging.js'
import { projectBlock } from '../projection.js'
import { INTERNAL_ERROR, INVALID_PARAMS, ProtocolError } from '../protocol-error.js'
import { memberText } from '../reply.js'
import type { Revision } from '../revision.js'
import type { Server } from '../server.js'
import { LIST_CACHE, prepared, textParam, type ListMethod, type Methods } from './method.js'

const list: ListMethod = ({ library, pageSize: size }, { client, params: { cursor } }) => {
  const { items, nextCursor } = pageOf(library.prompts, ({ name }) => name, { list: 'prompts', cursor, size })
  return memberText({ prompts: items.map((item) => projectPrompt(item, client.revision)), nextCursor })
}

async function get(server: Server, context: Exchange): Promise<string> {
  const name = textParam(context, 'name')
  const prompt = server.library.prompt(name)
  if (!prompt) throw new ProtocolError(INVALID_PARAMS, `Unknown prompt: ${name.slice(0, 128)}`)
  const args = readArguments(prompt, context.params.arguments)
  try {
    const services = await server.services.open(prompt.needs ?? [])
    const messages = await prompt.get(args, context.toCall(), services)
    if (!Array.isArray(messages)) throw new Error(`prompt ${name} must return a list of messages`)
    const { revision } = context.client
    return memberText({
      description: prompt.description,
      messages: messages.map((message) => projectMessage(message, revision)),
    })
  } catch (error) {
    if (error instanceof Failure) throw new ProtocolError(INTERNAL_ERROR, error.message)
    throw error
  }
}

function readArguments(prompt: Prompt, input: unknown = {}): Readonly<Record<string, string>> {
  if (!isObject(input)) throw new ProtocolError(INVALID_PARAMS, "Invalid params: 'arguments' must be an object")
  const texts: [string, string][] = []
  for (const { name, required } of prompt.arguments ?? []) {
    const value = input[name]
    if (typeof value === 'string') texts.push([name, value])
    else if (value !== undefined || required) {
      const problem = value === undefined ? 'is required' : 'must be a string'
      throw new ProtocolError(INVALID_PARAMS, `Invalid params: '${name}' of prompt ${prompt.name} ${problem}`)
    }
  }
  return Object.fromEntries(texts)
}

function projectMessage({ role, content }: PromptMessage, revision: Revision) {
  const block: Block = typeof content === 'string' ? { type: 'text', text: content } : content
  return { role, content: projectBlock(block, revision) }
}

export const LEGACY_PROMPTS: Methods = { 'prompts/list': prepared(list), 'prompts/get': prepared(get) }

export const MODERN_PROMPTS: Methods = {
  'prompts/list': prepared((server, context) => `${list(server, context)},${LIST_CACHE}`),
  'prompts/get': prepared(get),
}
