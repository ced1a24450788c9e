// What a script says about itself: one JSON object, or a line with its description and one for each parameter. Whatever
// cannot become a tool is a Failure that says what to change.

import { Failure } from '../../lib/failure.js'
import { isObject, parseJson, type JsonObject } from '../../lib/json.js'
import { jsonErrorAt } from '../../lib/json-error-at.js'
import { jsonInText } from '../../lib/json-in-text.js'
import type { Check } from '../../lib/json-schema/check.js'
import { compileSchema } from '../../lib/json-schema/compile.js'
import { reasonOf } from '../../lib/reason-of.js'
import { readLines } from './line-format.js'

export interface Description {
  /** The name it wants, if not that of its file. */
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
  const found = jsonInText(text)
  if (found) return described(found)
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
  const given = isObject(hints) ? hints : {}
  const description = textOf(value, 'description')
  if (description === undefined) throw new Failure('says no "description" of itself: models choose tools by it.')
  const output = value.outputSchema === undefined ? undefined : schemaOf(value.outputSchema, 'outputSchema')
  const inputName = value.inputSchema === undefined && value.input !== undefined ? 'input' : 'inputSchema'
  return {
    name: textOf(value, 'name'),
    title: textOf(value, 'title') ?? textOf(given, 'title'),
    description,
    input: schemaOf(value[inputName] ?? NOTHING, inputName).schema,
    output,
    hints: hintsOf(given),
    timeoutMs: timeoutOf(value.timeout),
  }
}

function textOf(from: JsonObject, name: string): string | undefined {
  const value = from[name]
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'string') throw new Failure(`has a "${name}" that is no text.`)
  return value.trim() === '' ? undefined : value.trim()
}

function schemaOf(given: unknown, name: string): { readonly schema: JsonObject; readonly check: Check } {
  if (!isObject(given)) throw new Failure(`has an "${name}" that is no JSON Schema: it must be an object.`)
  const schema = given.type === undefined ? { type: 'object', ...given } : given
  if (schema.type !== 'object') throw new Failure(`has an "${name}" that is not of the type "object".`)
  if (JSON.stringify(schema).includes('"x-mcp-header"')) {
    throw new Failure(`has an "${name}" with x-mcp-header, which script tools do not offer: leave it out.`)
  }
  try {
    return { schema, check: compileSchema(schema) }
  } catch (error) {
    throw new Failure(`has an "${name}" that cannot be used: ${reasonOf(error)}`)
  }
}

/** By our names or by the protocol's; what is not said is what is worst. */
function hintsOf(given: JsonObject): Hints {
  const say = (name: string): boolean | undefined => {
    const value = given[name] ?? given[`${name}Hint`]
    return typeof value === 'boolean' ? value : undefined
  }
  const readOnly = say('readOnly') ?? false
  return {
    readOnly,
    destructive: say('destructive') ?? !readOnly,
    idempotent: say('idempotent') ?? readOnly,
    openWorld: say('openWorld') ?? true,
  }
}

function timeoutOf(value: unknown): number | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'number' || !(value >= 1)) {
    throw new Failure('has a "timeout" that is no number of milliseconds.')
  }
  return Math.min(Math.round(value), MAX_TIMEOUT_MS)
}
