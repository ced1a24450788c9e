// Calls one tool from the terminal, through the same session a client would use.

import { isObject, type JsonObject } from '../lib/json.js'
import type { MemoryClient } from '../transport/memory-client.js'
import { UsageError } from './args.js'

export interface Said {
  readonly text: string
  readonly exitCode: number
}

export async function callFromTerminal(
  client: MemoryClient,
  operands: readonly string[],
  json: boolean,
): Promise<Said> {
  const [name, ...words] = operands
  if (name === undefined) throw new UsageError('which tool? e.g. scorpiox-code call Bash command="ls"')
  const { tools } = await client.request('tools/list')
  const tool = Array.isArray(tools) ? tools.find((entry) => isObject(entry) && entry.name === name) : undefined
  const args = readToolArguments(words, isObject(tool) ? tool : {})
  const result = await client.request('tools/call', { name, arguments: args })
  const exitCode = result.isError === true ? 1 : 0
  return { text: json ? `${JSON.stringify(result, null, 2)}\n` : `${textOf(result)}\n`, exitCode }
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

function textOf(result: JsonObject): string {
  const blocks = Array.isArray(result.content) ? result.content : []
  return blocks.map(wordsOf).join('\n')
}

/** What a terminal cannot show is named; --json has it whole. */
function wordsOf(block: unknown): string {
  if (!isObject(block)) return JSON.stringify(block)
  if (typeof block.text === 'string') return block.text
  if (typeof block.data !== 'string') return JSON.stringify(block)
  return `[${String(block.mimeType)}, ${Math.ceil(block.data.length / 1024)} KB of base64]`
}
