// Adapts form schemas to clients. Choices between strings get the type `string`: JSON Schema lets one omit it, but
// clients reject forms without it.

import { isObject, type JsonObject } from '../lib/json.js'

export function typedForm(schema: JsonObject): JsonObject {
  const { properties } = schema
  if (!isObject(properties)) return schema
  const typedProperties = Object.entries(properties).map(([name, field]) => [name, addFieldType(field)])
  return { ...schema, properties: Object.fromEntries(typedProperties) }
}

function addFieldType(field: unknown): unknown {
  if (!isObject(field)) return field
  const { enum: choices, oneOf, items } = field
  if (items !== undefined) return { ...field, items: addFieldType(items) }
  const values = Array.isArray(choices) ? choices : Array.isArray(oneOf) ? oneOf.map(readConst) : [undefined]
  return values.every((value) => typeof value === 'string') ? { type: 'string', ...field } : field
}

function readConst(option: unknown): unknown {
  return isObject(option) ? option.const : undefined
}
