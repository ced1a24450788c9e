// Parses the line format of script descriptions, the one of `scorpiox-server --mcp`: the first line is the description,
// each further one a parameter `name:type:description:required`. A description may contain colons.

import { Failure } from '../../lib/failure.js'
import type { JsonObject } from '../../lib/json.js'

const PARAMETER = /^([A-Za-z_][\w.-]{0,63})\s*:\s*([a-z]+(?:\[\])?)\s*:(.*)$/i
const NEED = /(?:^|:)\s*(required|optional)\s*$/i

const TYPES: ReadonlyMap<string, JsonObject> = new Map<string, JsonObject>([
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

export function readLines(text: string): JsonObject {
  const [description = '', ...rest] = text.split('\n').map((line) => line.trim())
  const parameters = rest.filter((line) => line !== '').map(parameterOf)
  return {
    description,
    inputSchema: {
      type: 'object',
      properties: Object.fromEntries(parameters.map(({ name, schema }) => [name, schema])),
      required: parameters.flatMap(({ name, isRequired }) => (isRequired ? [name] : [])),
    },
  }
}

function parameterOf(line: string): {
  readonly name: string
  readonly schema: JsonObject
  readonly isRequired: boolean
} {
  const [, name = '', type = '', rest = ''] = PARAMETER.exec(line) ?? []
  const known = typeOf(type.toLowerCase())
  if (name === '' || known === undefined) throw notUnderstood(line)
  const description = rest.replace(NEED, '').trim()
  const schema = description === '' ? known : { ...known, description }
  return { name, schema, isRequired: /required\s*$/i.test(NEED.exec(rest)?.[0] ?? '') }
}

function typeOf(type: string): JsonObject | undefined {
  const items = type.endsWith('[]') ? TYPES.get(type.slice(0, -2)) : undefined
  return items ? { type: 'array', items } : TYPES.get(type)
}

function notUnderstood(line: string): Failure {
  const shown = JSON.stringify(line.length > 80 ? `${line.slice(0, 79)}…` : line)
  return new Failure(
    `printed for --schema a line that is neither JSON nor a parameter (name:type:description:required): ${shown}.`,
  )
}
