// Gets the description of a script, from which its tool is made: runs `script --schema`, with a short time limit, read-only
// if a sandbox is on, and without leaving processes behind, and parses what it prints, which is JSON or the line format.
// Used by script-tools (also findJsonObject, for the results of scripts). Starts processes.

import type { Caller } from '@scorpiox/mcp/definitions/caller'
import { errorMessage, Failure } from '@scorpiox/mcp/errors'
import { compileSchema } from '@scorpiox/mcp/json-schema/compile'
import type { SchemaValidator } from '@scorpiox/mcp/json-schema/validation'
import { isJsonObject, type JsonObject, tryParseJson } from '@scorpiox/mcp/json/json'
import { isDeeperThan } from '@scorpiox/mcp/json/json-scan'
import { quoteShellWord } from '../../process/shell-quote.js'
import { toSingleLine } from '../../text/format.js'
import { findJsonError } from '../../text/json-error-position.js'
import { removeInvisible } from '../../text/untrusted-text.js'
import type { CommandResult, ProbeOptions, ShellService } from '../shell/index.js'

const LIMIT_MS = 5000
const MAX_CHARACTERS = 64 * 1024
const MAX_QUOTED = 300

export type DescribeScriptResult =
  | { readonly description: ScriptDescription; readonly printed: string }
  /** `timedOut`: a retry may succeed when the machine is less busy. */
  | { readonly reason: string; readonly timedOut: boolean }

/** Rejects with a Failure if no command can be run at all; problems of the script itself are returned. */
export async function describeScript(shell: ShellService, path: string, caller: Caller): Promise<DescribeScriptResult> {
  const options: ProbeOptions = { caller, limitMs: LIMIT_MS, maxCharacters: MAX_CHARACTERS }
  const result = await shell.runProbe(`exec ${quoteShellWord(path)} --schema`, options)
  if (result.ending === 'timeout') {
    return { reason: `did not answer --schema within ${LIMIT_MS / 1000} s: let it print that first.`, timedOut: true }
  }
  try {
    const printed = requireText(result)
    return { description: parseDescription(printed), printed }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return { reason: error.message, timedOut: false }
  }
}

function requireText({ exitCode, signal, text, truncated, binary, failureHint }: CommandResult): string {
  if (exitCode !== 0) {
    const how = signal === null ? `with exit code ${exitCode}` : `by ${signal}`
    const printed =
      text.trim() === '' ? 'without output' : `with output: ${toSingleLine(text.slice(-2 * MAX_QUOTED), MAX_QUOTED)}`
    throw new Failure(
      `ended ${how} when run with --schema, ${printed}${failureHint === undefined ? '' : ` ${failureHint}`}`,
    )
  }
  if (binary) throw new Failure('printed no text for --schema: print its description as JSON.')
  if (truncated) throw new Failure(`printed more than ${MAX_CHARACTERS / 1024} KB for --schema: print less.`)
  return text
}

export interface ScriptDescription {
  /** Tool name, if it differs from the file name. */
  readonly name: string | undefined
  readonly title: string | undefined
  readonly description: string
  readonly input: JsonObject
  readonly output: { readonly schema: JsonObject; readonly check: SchemaValidator } | undefined
  readonly hints: ScriptHints
  readonly timeoutMs: number | undefined
}

interface ScriptHints {
  readonly readOnly: boolean
  readonly destructive: boolean
  readonly idempotent: boolean
  readonly openWorld: boolean
}

const MAX_TIMEOUT_MS = 24 * 60 * 60 * 1000
const NO_ARGUMENTS = { type: 'object', properties: {} } as const

/**
 * Parses the description that a script prints: one JSON object, or a line of description and one line for each
 * parameter. Throws a Failure that says what to change.
 */
export function parseDescription(printed: string): ScriptDescription {
  const text = printed.trim()
  if (text === '') throw new Failure('printed nothing for --schema: print its description as JSON.')
  const parsed = findJsonObject(text)
  if (parsed) return toDescription(parsed)
  if (/^[[{]/.test(text)) throw new Failure(`printed JSON for --schema that cannot be read: ${describeJsonError(text)}`)
  return toDescription(parseLineFormat(text))
}

function describeJsonError(text: string): string {
  if (tryParseJson(text) !== undefined) return 'print one JSON object.'
  const at = findJsonError(text)
  if (at >= text.length) return 'it ends too early.'
  const line = text.slice(0, at).split('\n').length
  return `line ${line}, at ${JSON.stringify(text.slice(at, at + 20))}.`
}

function toDescription(value: JsonObject): ScriptDescription {
  const { annotations, hints = annotations } = value
  const hintFields = isJsonObject(hints) ? hints : {}
  const description = optionalText(value, 'description')
  if (description === undefined) throw new Failure('has no "description": models choose tools by it.')
  const output = value.outputSchema === undefined ? undefined : parseSchema(value.outputSchema, 'outputSchema')
  const inputName = value.inputSchema === undefined && value.input !== undefined ? 'input' : 'inputSchema'
  return {
    name: optionalText(value, 'name'),
    title: optionalText(value, 'title') ?? optionalText(hintFields, 'title'),
    description,
    input: parseSchema(value[inputName] ?? NO_ARGUMENTS, inputName).schema,
    output,
    hints: parseHints(hintFields),
    timeoutMs: parseTimeout(value.timeout),
  }
}

function optionalText(from: JsonObject, name: string): string | undefined {
  const value = from[name]
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'string') throw new Failure(`has a "${name}" that is not text.`)
  return removeInvisible(value).trim() || undefined
}

function parseSchema(input: unknown, name: string): { readonly schema: JsonObject; readonly check: SchemaValidator } {
  if (!isJsonObject(input)) throw new Failure(`has an "${name}" that is not a JSON Schema: it must be an object.`)
  const schema = removeInvisibleFrom(input.type === undefined ? { type: 'object', ...input } : input, name)
  if (schema.type !== 'object') throw new Failure(`has an "${name}" that is not of the type "object".`)
  if (JSON.stringify(schema).includes('"x-mcp-header"')) {
    throw new Failure(`has an "${name}" with x-mcp-header, which script tools do not support: remove it.`)
  }
  try {
    return { schema, check: compileSchema(schema) }
  } catch (error) {
    throw new Failure(`has an "${name}" that cannot be used: ${errorMessage(error)}`)
  }
}

/**
 * Removes invisible characters from the texts that models read. Everywhere else in a schema they would change its
 * meaning, so they are refused there.
 */
function removeInvisibleFrom(schema: JsonObject, name: string): JsonObject {
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => {
      const isText = typeof value === 'string' && SCHEMA_TEXTS.has(key)
      return [requireVisible(key, name), isText ? removeInvisible(value) : visibleValue(value, name)]
    }),
  )
}

const SCHEMA_TEXTS = new Set(['title', 'description', '$comment'])

function visibleValue(value: unknown, name: string): unknown {
  if (typeof value === 'string') return requireVisible(value, name)
  if (Array.isArray(value)) return value.map((each) => visibleValue(each, name))
  return isJsonObject(value) ? removeInvisibleFrom(value, name) : value
}

function requireVisible(text: string, name: string): string {
  if (removeInvisible(text) === text) return text
  throw new Failure(
    `has an "${name}" with characters that cannot be seen, in ${JSON.stringify(toSingleLine(removeInvisible(text), 60))}: remove them.`,
  )
}

/** Accepts `readOnly` and `readOnlyHint`. Missing hints get the most cautious value. */
function parseHints(input: JsonObject): ScriptHints {
  const readHint = (name: string): boolean | undefined => {
    const value = input[name] ?? input[`${name}Hint`]
    return typeof value === 'boolean' ? value : undefined
  }
  const readOnly = readHint('readOnly') ?? false
  return {
    readOnly,
    destructive: readHint('destructive') ?? !readOnly,
    idempotent: readHint('idempotent') ?? readOnly,
    openWorld: readHint('openWorld') ?? true,
  }
}

function parseTimeout(value: unknown): number | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'number' || !(value >= 1)) {
    throw new Failure('has a "timeout" that is not a number of milliseconds.')
  }
  return Math.min(Math.round(value), MAX_TIMEOUT_MS)
}

const PARAMETER = /^([A-Za-z_][\w.-]{0,63})\s*:\s*([a-z]+(?:\[\])?)\s*:(.*)$/i
const REQUIREMENT = /(?:^|:)\s*(required|optional)\s*$/i

const PARAMETER_TYPES: ReadonlyMap<string, JsonObject> = new Map<string, JsonObject>([
  ['string', { type: 'string' }],
  ['str', { type: 'string' }],
  ['text', { type: 'string' }],
  ['integer', { type: 'integer' }],
  ['int', { type: 'integer' }],
  ['number', { type: 'number' }],
  ['float', { type: 'number' }],
  ['boolean', { type: 'boolean' }],
  ['bool', { type: 'boolean' }],
  ['array', { type: 'array' }],
  ['list', { type: 'array' }],
  ['object', { type: 'object' }],
])

/**
 * Parses the line format of script descriptions, the one of `scorpiox-server --mcp`: the first line is the description,
 * each further one a parameter `name:type:description:required`. A description may contain colons.
 */
function parseLineFormat(text: string): JsonObject {
  const [description = '', ...rest] = text.split('\n').map((line) => line.trim())
  const parameters = rest.filter((line) => line !== '').map(parseParameter)
  return {
    description,
    inputSchema: {
      type: 'object',
      properties: Object.fromEntries(parameters.map(({ name, schema }) => [name, schema])),
      required: parameters.flatMap(({ name, isRequired }) => (isRequired ? [name] : [])),
    },
  }
}

function parseParameter(line: string): {
  readonly name: string
  readonly schema: JsonObject
  readonly isRequired: boolean
} {
  const [, name = '', type = '', rest = ''] = PARAMETER.exec(line) ?? []
  const known = schemaOfType(type.toLowerCase())
  if (name === '' || known === undefined) throw invalidLine(line)
  const description = rest.replace(REQUIREMENT, '').trim()
  const schema = description === '' ? known : { ...known, description }
  return { name, schema, isRequired: /required\s*$/i.test(REQUIREMENT.exec(rest)?.[0] ?? '') }
}

function schemaOfType(type: string): JsonObject | undefined {
  const items = type.endsWith('[]') ? PARAMETER_TYPES.get(type.slice(0, -2)) : undefined
  return items ? { type: 'array', items } : PARAMETER_TYPES.get(type)
}

function invalidLine(line: string): Failure {
  const shown = JSON.stringify(line.length > 80 ? `${line.slice(0, 79)}…` : line)
  return new Failure(
    `printed for --schema a line that is neither JSON nor a parameter (name:type:description:required): ${shown}.`,
  )
}

const MAX_DEPTH = 64

/**
 * Finds the JSON object in the output of a program that may print other lines before or after it. Tries the text from
 * the first line that opens an object to the last that closes one, then the last such line.
 */
export function findJsonObject(text: string): JsonObject | undefined {
  const lines = text.trim().split('\n')
  const first = lines.findIndex((line) => line.startsWith('{'))
  const last = lines.findLastIndex((line) => line.trimEnd().endsWith('}'))
  if (first === -1 || last < first) return undefined
  return parseObject(lines.slice(first, last + 1).join('\n')) ?? parseObject(lines[last] ?? '')
}

function parseObject(text: string): JsonObject | undefined {
  const value = isDeeperThan(MAX_DEPTH, text) ? undefined : tryParseJson(text)
  return isJsonObject(value) ? value : undefined
}
