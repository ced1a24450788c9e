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
  // The items of titled choices are the one place where clients do without.
  const items = isObject(field.items) && Array.isArray(field.items.enum) ? typedField(field.items) : field.items
  const whole = items === field.items ? field : { ...field, items }
  return whole.type === undefined && isChoice(whole) ? { type: 'string', ...whole } : whole
}

function isChoice({ enum: choices, oneOf }: JsonObject): boolean {
  const values: readonly unknown[] = Array.isArray(choices)
    ? choices
    : Array.isArray(oneOf)
      ? oneOf.map(constantOf)
      : []
  return values.length > 0 && values.every((value) => typeof value === 'string')
}

function constantOf(option: unknown): unknown {
  return isObject(option) ? option.const : undefined
}
