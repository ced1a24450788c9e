// Calls one tool from the terminal, through the same session a client would use.

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
  /** The background task that the call started and that was running when it was answered. */
  readonly startedJob: number | undefined
}

export async function callFromTerminal(
  client: MemoryClient,
  operands: readonly string[],
  json: boolean,
): Promise<CallResult> {
  const [name, ...words] = operands
  if (name === undefined) throw new UsageError('which tool? e.g. scorpiox-code call Bash command="ls"')
  const { tools } = await client.request('tools/list')
  const listed = Array.isArray(tools) ? tools.filter(isObject) : []
  const args = readToolArguments(words, listed.find((tool) => tool.name === name) ?? {})
  const result = await request(client, name, args, listed)
  return {
    text: json ? `${JSON.stringify(result, null, 2)}\n` : textOf(result),
    exitCode: result.isError === true ? 1 : 0,
    startedJob: startedJobOf(name, result),
  }
}

/** A tool that is not listed may be switched off, which the server explains; otherwise its name is mistyped. */
async function request(client: MemoryClient, name: string, args: JsonObject, listed: readonly JsonObject[]) {
  const names = listed.map((tool) => String(tool.name))
  try {
    return await client.request('tools/call', { name, arguments: args })
  } catch (error) {
    if (!(error instanceof RequestFailure) || names.includes(name)) throw error
    throw new Failure(`Unknown tool: ${name}. ${didYouMean(name, names)}The tools are ${names.join(', ')}.`)
  }
}

/** One JSON object, or key=value pairs, each read as the tool's schema says. */
function readToolArguments(words: readonly string[], tool: JsonObject): JsonObject {
  const [first] = words
  if (first === undefined) return {}
  if (words.length === 1 && first.trimStart().startsWith('{')) return parseObject(first)
  return Object.fromEntries(words.map((word) => readPair(word, tool)))
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

function readPair(word: string, tool: JsonObject): [string, unknown] {
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

/** Bash names a task only where it goes on; the other tools name tasks that they did not start. */
function startedJobOf(name: string, { _meta: meta }: JsonObject): number | undefined {
  const data = isObject(meta) ? meta[RESULT_DATA] : undefined
  const id = isObject(data) ? data.task_id : undefined
  return (name === 'Bash' || name === 'BackgroundBash') && typeof id === 'number' ? id : undefined
}

function textOf(result: JsonObject): string {
  const blocks = Array.isArray(result.content) ? result.content : []
  return blocks
    .map(formatBlock)
    .map((text) => (text === '' || text.endsWith('\n') ? text : `${text}\n`))
    .join('')
}

/** What a terminal cannot show is named; --json prints it whole. */
function formatBlock(block: unknown): string {
  if (!isObject(block)) return JSON.stringify(block)
  const { type, text, data, mimeType, uri, name, resource } = block
  if (typeof text === 'string') return text
  if (typeof data === 'string') return `[${String(mimeType)}, ${Math.ceil(data.length / 1024)} KB of base64]`
  // Links to our own resources are for clients; the text beside them says the same.
  if (type === 'resource_link') return String(uri).startsWith('scorpiox://') ? '' : `[${String(name)}: ${String(uri)}]`
  if (!isObject(resource)) return JSON.stringify(block)
  return typeof resource.text === 'string' ? resource.text : `[${String(resource.uri)}]`
}
