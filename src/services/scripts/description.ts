// Parses the description that a script prints: one JSON object, or a line of description and one line for each
// parameter. Throws a Failure that says what to change.

import { Failure } from '../../lib/failure.js'
import { isObject, parseJson, type JsonObject } from '../../lib/json.js'
import { jsonErrorAt } from '../../lib/json-error-at.js'
import { jsonInText } from '../../lib/json-in-text.js'
import type { Check } from '../../lib/json-schema/check.js'
import { compileSchema } from '../../lib/json-schema/compile.js'
import { reasonOf } from '../../lib/reason-of.js'
import { readLines } from './line-format.js'

export interface Description {
  /** Tool name, if it differs from the file name. */
  readonly name: string | undefined
  readonly title: string | undefined
  readonly description: string
  readonly input: JsonObject
  readonly output: { readonly schema: JsonObject; readonly check: Check } | undefined
  readonly hints: Hints
  readonly timeoutMs: number | undefined
}

export interface Hints {
  readonly readOnly: boolean
  readonly destructive: boolean
  readonly idempotent: boolean
  readonly openWorld: boolean
}

const MAX_TIMEOUT_MS = 24 * 60 * 60 * 1000
const NOTHING = { type: 'object', properties: {} } as const

export function readDescription(printed: string): Description {
  const text = printed.trim()
  if (text === '') throw new Failure('printed nothing for --schema: print its description as JSON.')
  const parsed = jsonInText(text)
  if (parsed) return described(parsed)
  if (/^[[{]/.test(text)) throw new Failure(`printed JSON for --schema that cannot be read: ${whereItBreaks(text)}`)
  return described(readLines(text))
}

function whereItBreaks(text: string): string {
  if (parseJson(text) !== undefined) return 'print one JSON object.'
  const at = jsonErrorAt(text)
  if (at >= text.length) return 'it ends too early.'
  const line = text.slice(0, at).split('\n').length
  return `line ${line}, at ${JSON.stringify(text.slice(at, at + 20))}.`
}

function described(value: JsonObject): Description {
  const { annotations, hints = annotations } = value
  const hintFields = isObject(hints) ? hints : {}
  const description = textOf(value, 'description')
  if (description === undefined) throw new Failure('has no "description": models choose tools by it.')
  const output = value.outputSchema === undefined ? undefined : schemaOf(value.outputSchema, 'outputSchema')
  const inputName = value.inputSchema === undefined && value.input !== undefined ? 'input' : 'inputSchema'
  return {
    name: textOf(value, 'name'),
    title: textOf(value, 'title') ?? textOf(hintFields, 'title'),
    description,
    input: schemaOf(value[inputName] ?? NOTHING, inputName).schema,
    output,
    hints: hintsOf(hintFields),
    timeoutMs: timeoutOf(value.timeout),
  }
}

function textOf(from: JsonObject, name: string): string | undefined {
  const value = from[name]
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'string') throw new Failure(`has a "${name}" that is not text.`)
  return value.trim() === '' ? undefined : value.trim()
}

function schemaOf(input: unknown, name: string): { readonly schema: JsonObject; readonly check: Check } {
  if (!isObject(input)) throw new Failure(`has an "${name}" that is not a JSON Schema: it must be an object.`)
  const schema = input.type === undefined ? { type: 'object', ...input } : input
  if (schema.type !== 'object') throw new Failure(`has an "${name}" that is not of the type "object".`)
  if (JSON.stringify(schema).includes('"x-mcp-header"')) {
    throw new Failure(`has an "${name}" with x-mcp-header, which script tools do not support: remove it.`)
  }
  try {
    return { schema, check: compileSchema(schema) }
  } catch (error) {
    throw new Failure(`has an "${name}" that cannot be used: ${reasonOf(error)}`)
  }
}

/** Accepts `readOnly` and `readOnlyHint`. Missing hints get the most cautious value. */
function hintsOf(input: JsonObject): Hints {
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

function timeoutOf(value: unknown): number | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'number' || !(value >= 1)) {
    throw new Failure('has a "timeout" that is not a number of milliseconds.')
  }
  return Math.min(Math.round(value), MAX_TIMEOUT_MS)
}
