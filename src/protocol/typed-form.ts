// Forms as clients take them: a choice between texts has the type string, which JSON Schema lets one leave out and
// clients refuse to do without.

import { isObject, type JsonObject } from '../lib/json.js'

export function typedForm(schema: JsonObject): JsonObject {
  const { properties } = schema
  if (!isObject(properties)) return schema
  const typed = Object.entries(properties).map(([name, field]) => [name, typedField(field)])
  return { ...schema, properties: Object.fromEntries(typed) }
}

function typedField(field: unknown): unknown {
  if (!isObject(field)) return field
  const { enum: choices, oneOf, items } = field
  if (items !== undefined) return { ...field, items: typedField(items) }
  const values = Array.isArray(choices) ? choices : Array.isArray(oneOf) ? oneOf.map(constantOf) : [undefined]
  return values.every((value) => typeof value === 'string') ? { type: 'string', ...field } : field
}

function constantOf(option: unknown): unknown {
  return isObject(option) ? option.const : undefined
}
