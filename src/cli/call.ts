// `scorpiox-code call`: calls one tool through an in-memory MCP session and formats the result for the terminal.

import { Failure } from '../lib/failure.js'
import { isObject, type JsonObject } from '../lib/json.js'
import { RESULT_DATA } from '../tools/result-data.js'
import { RequestFailure, type MemoryClient } from '../transport/memory-client.js'
import { didYouMean } from './did-you-mean.js'
import { UsageError } from './usage-error.js'

export interface Said {
  readonly text: string
  readonly exitCode: number
}

export interface CallResult extends Said {
  /** The background task that the call started, if it was still running when the call returned. */
  readonly startedJob: number | undefined
}

export async function callFromTerminal(
  client: MemoryClient,
  operands: readonly string[],
  json: boolean,
): Promise<CallResult> {
  const [name, ...toolOperands] = operands
  if (name === undefined) throw new UsageError('no tool given; example: scorpiox-code call Bash command="ls"')
  const { tools } = await client.request('tools/list')
  const listedTools = Array.isArray(tools) ? tools.filter(isObject) : []
  const args = parseToolArguments(toolOperands, listedTools.find((tool) => tool.name === name) ?? {})
  const result = await callTool(client, name, args, listedTools)
  return {
    text: json ? `${JSON.stringify(result, null, 2)}\n` : formatResult(result),
    exitCode: result.isError === true ? 1 : 0,
    startedJob: findStartedJob(name, result),
  }
}

/** A disabled tool is not listed either; the server then explains that in its result. Only an unknown name is an error. */
async function callTool(client: MemoryClient, name: string, args: JsonObject, listedTools: readonly JsonObject[]) {
  const names = listedTools.map((tool) => String(tool.name))
  try {
    return await client.request('tools/call', { name, arguments: args })
  } catch (error) {
    if (!(error instanceof RequestFailure) || names.includes(name)) throw error
    throw new Failure(`Unknown tool: ${name}. ${didYouMean(name, names)}The tools are ${names.join(', ')}.`)
  }
}

/** Accepts one JSON object, or key=value pairs whose types come from the tool's schema. */
function parseToolArguments(toolOperands: readonly string[], tool: JsonObject): JsonObject {
  const [first] = toolOperands
  if (first === undefined) return {}
  if (toolOperands.length === 1 && first.trimStart().startsWith('{')) return parseObject(first)
  return Object.fromEntries(toolOperands.map((word) => parsePair(word, tool)))
}

function parseObject(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text)
    if (isObject(value)) return value
  } catch (error) {
    throw new UsageError(`the arguments are not JSON: ${error instanceof Error ? error.message : 'unreadable'}`)
  }
  throw new UsageError('the arguments must be a JSON object')
}

function parsePair(word: string, tool: JsonObject): [string, unknown] {
  const equals = word.indexOf('=')
  if (equals <= 0) throw new UsageError(`expected key=value or a JSON object, got ${JSON.stringify(word)}`)
  const key = word.slice(0, equals)
  const value = word.slice(equals + 1)
  const schema =
    isObject(tool.inputSchema) && isObject(tool.inputSchema.properties) ? tool.inputSchema.properties[key] : undefined
  if (!isObject(schema) || schema.type === 'string') return [key, value]
  try {
    return [key, JSON.parse(value)]
  } catch {
    return [key, value]
  }
}

/** Bash returns a task_id only for a command that keeps running. Other tools return ids of tasks they did not start. */
function findStartedJob(name: string, { _meta: meta }: JsonObject): number | undefined {
  const data = isObject(meta) ? meta[RESULT_DATA] : undefined
  const id = isObject(data) ? data.task_id : undefined
  return (name === 'Bash' || name === 'BackgroundBash') && typeof id === 'number' ? id : undefined
}

function formatResult(result: JsonObject): string {
  const blocks = Array.isArray(result.content) ? result.content : []
  return blocks
    .map(formatBlock)
    .map((text) => (text === '' || text.endsWith('\n') ? text : `${text}\n`))
    .join('')
}

/** Binary content is replaced by a short description; --json prints it in full. */
function formatBlock(block: unknown): string {
  if (!isObject(block)) return JSON.stringify(block)
  const { type, text, data, mimeType, uri, name, resource } = block
  if (typeof text === 'string') return text
  if (typeof data === 'string') return `[${String(mimeType)}, ${Math.ceil(data.length / 1024)} KB of base64]`
  // Links to this server's own resources repeat what the text of the result says.
  if (type === 'resource_link') return String(uri).startsWith('scorpiox://') ? '' : `[${String(name)}: ${String(uri)}]`
  if (!isObject(resource)) return JSON.stringify(block)
  return typeof resource.text === 'string' ? resource.text : `[${String(resource.uri)}]`
}
