// Runs the middleware of a server around the calls of tools, resources and prompts. A Failure of an inner layer is a result
// for the outer one, as for the client. Loaded by methods/tools.ts, resources.ts and prompts.ts with the first call of a
// server that has middleware. Calls the functions of the author; no I/O of its own.

import type { CallContext } from '../definitions/call-context.js'
import type { Middleware, ToolResult } from '../definitions/middleware.js'
import type { PromptMessage } from '../definitions/prompt.js'
import type { ResourceContent, ResourcePart } from '../definitions/resource.js'
import type { ToolDeclaration, ToolOutput } from '../definitions/tool.js'
import { isJsonObject, type JsonObject } from '../json/json.js'
import type { ResultParts } from './tool-result.js'

type Layers = readonly Middleware<unknown>[]
type PromptArguments = Readonly<Record<string, string>>

interface CallSource {
  /** Creates the part of a call that all kinds have. */
  readonly createCall: () => CallContext
}

interface ToolResultParts extends ResultParts {
  readonly output: Pick<ToolResult, 'content' | 'isError'>
  readonly structured: JsonObject | undefined
  readonly meta: JsonObject | undefined
}

interface ToolRunner<C> extends CallSource {
  /** Validates the arguments and runs the tool. */
  readonly run: (args: unknown) => ResultParts | Promise<ResultParts>
  /** The result that explains an expected error; undefined for a bug. */
  readonly explain: (error: unknown, context: C) => ResultParts | undefined
}

/** The request of a client, of which the arguments are read. */
interface CallRequest {
  readonly params: JsonObject
}

/** Calls a tool through the layers and returns the parts of the result. */
export async function callToolThrough<C extends CallRequest>(
  layers: Layers,
  tool: ToolDeclaration,
  context: C,
  { createCall, run, explain }: ToolRunner<C>,
): Promise<ToolResultParts> {
  async function enter(index: number, args: unknown): Promise<ToolResult> {
    const layer = layers[index]
    if (!layer) return fromParts(await run(args))
    if (!layer.callTool) return enter(index + 1, args)
    const call = Object.assign(createCall(), { tool, arguments: isJsonObject(args) ? args : {} })
    // Copied, because arguments that the tool does not know are removed from the object.
    const next = (changed?: JsonObject): Promise<ToolResult> =>
      attempt(index + 1, changed === undefined ? args : { ...changed })
    const result = await layer.callTool(call, next)
    if (!isOutput(result)) {
      throw new TypeError(
        'callTool of a middleware must return what next() resolved with, a text, content blocks or a ToolResult',
      )
    }
    return toResult(result)
  }

  async function attempt(index: number, args: unknown): Promise<ToolResult> {
    try {
      return await enter(index, args)
    } catch (error) {
      const parts = explain(error, context)
      if (parts) return fromParts(parts)
      throw error
    }
  }

  const { content, isError, structuredContent: structured, meta } = await enter(0, context.params.arguments)
  if (tool.output && !structured && !isError) {
    throw new TypeError(`middleware must return the structuredContent of ${tool.name}, because it has an output`)
  }
  return { output: { content, isError }, structured, meta }
}

function fromParts({ output, structured, meta }: ResultParts): ToolResult {
  return { ...toResult(output), structuredContent: structured, meta }
}

/** Without types, a layer easily lacks its `return`. */
function isOutput(value: unknown): boolean {
  const content = isJsonObject(value) ? value.content : value
  return typeof content === 'string' || Array.isArray(content)
}

function toResult(value: ToolOutput | ToolResult): ToolResult {
  if (typeof value === 'string') return { content: [{ type: 'text', text: value }], isError: false }
  if (!('content' in value)) return { content: value, isError: false }
  const { content } = value
  return { ...value, content: typeof content === 'string' ? [{ type: 'text', text: content }] : content }
}

interface ResourceReader extends CallSource {
  readonly read: () => Promise<readonly ResourcePart[]>
  /** Makes parts of what a layer returns. */
  readonly convert: (content: ResourceContent) => readonly ResourcePart[]
}

/** Reads a resource through the layers. */
export function readResourceThrough(
  layers: Layers,
  uri: string,
  { createCall, read, convert }: ResourceReader,
): Promise<readonly ResourcePart[]> {
  async function enter(index: number): Promise<readonly ResourcePart[]> {
    const layer = layers[index]
    if (!layer) return read()
    if (!layer.readResource) return enter(index + 1)
    return convert(await layer.readResource(Object.assign(createCall(), { uri }), () => enter(index + 1)))
  }
  return enter(0)
}

interface PromptGetter extends CallSource {
  readonly get: (args: PromptArguments) => Promise<readonly PromptMessage[]>
}

/** Gets a prompt through the layers. */
export function getPromptThrough(
  layers: Layers,
  prompt: string,
  args: PromptArguments,
  { createCall, get }: PromptGetter,
): Promise<readonly PromptMessage[]> {
  async function enter(index: number, current: PromptArguments): Promise<readonly PromptMessage[]> {
    const layer = layers[index]
    if (!layer) return get(current)
    if (!layer.getPrompt) return enter(index + 1, current)
    const call = Object.assign(createCall(), { prompt, arguments: current })
    return layer.getPrompt(call, (changed = current) => enter(index + 1, changed))
  }
  return enter(0, args)
}
