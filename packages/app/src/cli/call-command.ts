// `scorpiox-code call` and `scorpiox-code tools`: calls a tool like a client, through an in-process client, and lists
// the tools as text or exactly as `tools/list` sends them. Returns the text to print. Called by cli/commands.ts. The
// tool has its usual effects.

import { Failure } from '@scorpiox/mcp/errors'
import { isJsonObject, type JsonObject } from '@scorpiox/mcp/json/json'
import { type MemoryClient, RequestError } from '@scorpiox/mcp/memory/memory-client'
import type { ToolRegistry } from '@scorpiox/mcp/registry/tool-registry'
import { NEWEST_LEGACY } from '@scorpiox/mcp/revisions/revision'
import type { Config } from '@scorpiox/server/config/load-config'
import { UsageError } from '@scorpiox/server/terminal/terminal'
import { didYouMean } from '@scorpiox/server/text/nearest-names'
import { RESULT_DATA } from '@scorpiox/server/text/result-data'

export interface CommandOutput {
  readonly text: string
  readonly exitCode: number
}

interface ToolCallOutput extends CommandOutput {
  /** The job that the call started, if it was still running when the call returned. */
  readonly startedJob: number | undefined
}

export async function runCallCommand(
  client: MemoryClient,
  operands: readonly string[],
  json: boolean,
): Promise<ToolCallOutput> {
  const [name, ...toolOperands] = operands
  if (name === undefined) throw new UsageError('no tool given; example: scorpiox-code call Bash command="ls"')
  const { tools } = await client.request('tools/list')
  const listedTools = Array.isArray(tools) ? tools.filter(isJsonObject) : []
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
    if (!(error instanceof RequestError) || names.includes(name)) throw error
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
    if (isJsonObject(value)) return value
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
    isJsonObject(tool.inputSchema) && isJsonObject(tool.inputSchema.properties)
      ? tool.inputSchema.properties[key]
      : undefined
  if (!isJsonObject(schema) || schema.type === 'string') return [key, value]
  try {
    return [key, JSON.parse(value)]
  } catch {
    return [key, value]
  }
}

/** Bash returns a task_id only for a command that keeps running. Other tools return ids of tasks they did not start. */
function findStartedJob(name: string, { _meta: meta }: JsonObject): number | undefined {
  const data = isJsonObject(meta) ? meta[RESULT_DATA] : undefined
  const id = isJsonObject(data) ? data.task_id : undefined
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
  if (!isJsonObject(block)) return JSON.stringify(block)
  const { type, text, data, mimeType, uri, name, resource } = block
  if (typeof text === 'string') return text
  if (typeof data === 'string') return `[${String(mimeType)}, ${Math.ceil(data.length / 1024)} KB of base64]`
  // Links to this server's own resources repeat what the text of the result says.
  if (type === 'resource_link') return String(uri).startsWith('scorpiox://') ? '' : `[${String(name)}: ${String(uri)}]`
  if (!isJsonObject(resource)) return JSON.stringify(block)
  return typeof resource.text === 'string' ? resource.text : `[${String(resource.uri)}]`
}

/** Explains what happens to a job that `call` started: its server exits together with `call`. */
export function formatJobNotice(id: number, { settings, effective }: Config, program: string): string {
  if (!settings.JOBS_OUTLIVE_SERVER) {
    return (
      `Job ${id} was killed when this command ended: a job runs only as long as its server.\n` +
      'To keep it running, add -e JOBS_OUTLIVE_SERVER=1. To wait until it exits, use Bash with a timeout, such as ' +
      'timeout=600000 (milliseconds).\n'
    )
  }
  const flag = effective.get('JOBS_OUTLIVE_SERVER')?.source === '-e' ? ' -e JOBS_OUTLIVE_SERVER=1' : ''
  return (
    `Job ${id} keeps running after this command.\n` +
    `  Read its output:  ${program} call ReadBgOutput task_id=${id}${flag}\n` +
    `  Kill it:          ${program} call KillBgTask task_id=${id}${flag}\n`
  )
}

/** `scorpiox-code tools`: the tools as text, or exactly what `tools/list` sends. */
export function formatTools(catalogue: ToolRegistry): string {
  const rows = catalogue.names().map((name) => {
    const entry = catalogue.find(name)
    const [firstLine = ''] = entry?.tool.description?.split('\n') ?? []
    return `${name}(${[...(entry?.inputNames ?? [])].join(', ')})\n    ${firstLine}\n`
  })
  return rows.join('') || 'All tools are disabled.\n'
}

export function formatToolsJson(catalogue: ToolRegistry): string {
  return `${JSON.stringify(JSON.parse(`{${catalogue.list(NEWEST_LEGACY, undefined)}}`).tools, null, 2)}\n`
}
