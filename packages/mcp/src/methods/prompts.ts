// Handles prompts/list and prompts/get. Loaded by optional-methods. Calls the prompts of the server.

import type { PromptDefinition, PromptMessage } from '../definitions/prompt.js'
import type { ContentBlock } from '../definitions/tool.js'
import { echo, Failure, INTERNAL_ERROR, INVALID_PARAMS, ProtocolError } from '../errors.js'
import { isJsonObject } from '../json/json.js'
import { stringifyMembers } from '../jsonrpc/result.js'
import { paginate } from '../registry/paging.js'
import { RequestCallContext, type RequestContext } from '../request/request-context.js'
import { projectBlock } from '../revisions/projection.js'
import { projectPrompt } from '../revisions/resource-projection.js'
import type { Revision } from '../revisions/revision.js'
import type { McpServer } from '../server/mcp-server.js'
import {
  LIST_CACHE_MEMBERS,
  type ListHandler,
  type MethodTable,
  requireStringParam,
  withRefreshedLists,
} from './method.js'

const list: ListHandler = ({ resourceRegistry, pageSize: size }, { client, params: { cursor } }) => {
  const { items, nextCursor } = paginate(resourceRegistry.prompts, ({ name }) => name, {
    list: 'prompts',
    cursor,
    size,
  })
  return stringifyMembers({ prompts: items.map((item) => projectPrompt(item, client.revision)), nextCursor })
}

async function get(server: McpServer, context: RequestContext): Promise<string> {
  const name = requireStringParam(context, 'name')
  const prompt = server.resourceRegistry.findPrompt(name)
  if (!prompt) throw new ProtocolError(INVALID_PARAMS, `Unknown prompt: ${echo(name, 128)}`)
  const args = readArguments(prompt, context.params.arguments)
  try {
    const messages = await getMessages(server, context, prompt, args)
    if (!Array.isArray(messages)) throw new Error(`prompt ${name} must return a list of messages`)
    const { revision } = context.client
    return stringifyMembers({
      description: prompt.description,
      messages: messages.map((message) => projectMessage(message, revision)),
    })
  } catch (error) {
    if (error instanceof Failure) throw new ProtocolError(INTERNAL_ERROR, error.message)
    throw error
  }
}

async function getMessages(
  { services: available, middleware }: McpServer,
  context: RequestContext,
  prompt: PromptDefinition,
  args: Readonly<Record<string, string>>,
): Promise<readonly PromptMessage[]> {
  const createCall = () => new RequestCallContext(context)
  const getFrom = async (given: Readonly<Record<string, string>>): Promise<readonly PromptMessage[]> =>
    prompt.get(given, createCall(), await available.open(prompt.services ?? []))
  if (!middleware) return getFrom(args)
  const { getPromptThrough } = await import('./middleware.js')
  return getPromptThrough(middleware, prompt.name, args, { createCall, get: getFrom })
}

function readArguments(prompt: PromptDefinition, input: unknown = {}): Readonly<Record<string, string>> {
  if (!isJsonObject(input)) throw new ProtocolError(INVALID_PARAMS, "Invalid params: 'arguments' must be an object")
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
  const block: ContentBlock = typeof content === 'string' ? { type: 'text', text: content } : content
  return { role, content: projectBlock(block, revision) }
}

export const LEGACY_PROMPTS: MethodTable = {
  'prompts/list': withRefreshedLists(list),
  'prompts/get': withRefreshedLists(get),
}

export const MODERN_PROMPTS: MethodTable = {
  'prompts/list': withRefreshedLists((server, context) => `${list(server, context)},${LIST_CACHE_MEMBERS}`),
  'prompts/get': withRefreshedLists(get),
}
