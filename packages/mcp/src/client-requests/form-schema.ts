// Adapts form schemas to clients, and answers back to the schema: adds the type `string` to choices, and converts forms
// for clients before 2025-11-25. Used by question-wire-format.ts. Pure.

import { Failure } from '../errors.js'
import { isJsonObject, type JsonObject } from '../json/json.js'

/** Choices between strings get the type `string`: JSON Schema lets one omit it, but clients reject forms without it. */
export function addStringTypes(schema: JsonObject): JsonObject {
  const { properties } = schema
  if (!isJsonObject(properties)) return schema
  const typedProperties = Object.entries(properties).map(([name, field]) => [name, addFieldType(field)])
  return { ...schema, properties: Object.fromEntries(typedProperties) }
}

function addFieldType(field: unknown): unknown {
  if (!isJsonObject(field)) return field
  const { enum: choices, oneOf, items } = field
  if (items !== undefined) return { ...field, items: addFieldType(items) }
  const values = Array.isArray(choices) ? choices : Array.isArray(oneOf) ? oneOf.map(readConst) : [undefined]
  return values.every((value) => typeof value === 'string') ? { type: 'string', ...field } : field
}

function readConst(option: unknown): unknown {
  return isJsonObject(option) ? option.const : undefined
}

/**
 * For clients before 2025-11-25: titled choices become two lists, and a multiple choice becomes one boolean field per
 * option.
 */
export function downgradeFormSchema(schema: JsonObject): JsonObject {
  const { properties, required } = schema
  if (!isJsonObject(properties)) return schema
  const multipleChoices = findMultipleChoices(properties)
  const fields = Object.entries(properties).flatMap(([name, property]): readonly Field[] => {
    const list = multipleChoices.find((each) => each.name === name)
    return list ? toBooleanFields(list) : [[name, downgradeField(property)]]
  })
  const isUnchanged = (name: unknown): boolean => !multipleChoices.some((list) => list.name === name)
  return {
    ...schema,
    properties: Object.fromEntries(fields),
    ...(Array.isArray(required) && { required: required.filter(isUnchanged) }),
  }
}

/** Converts the answer to a downgraded form into an answer to the original form. */
export function upgradeFormContent({ properties, required }: JsonObject, content: unknown): unknown {
  if (!isJsonObject(properties) || !isJsonObject(content)) return content
  const full = new Map(Object.entries(content))
  for (const { name, choices } of findMultipleChoices(properties)) {
    const options = choices.map((choice) => ({ ...choice, on: content[choice.field] }))
    for (const { field } of choices) full.delete(field)
    const chosen = options.filter(({ on }) => on === true).map(({ value }) => value)
    // A value that is not a boolean is passed on unchanged, so that validation reports it.
    const invalid = options.find(({ on }) => on !== undefined && on !== null && typeof on !== 'boolean')
    if (invalid) full.set(name, invalid.on)
    else if (chosen.length > 0 || (Array.isArray(required) && required.includes(name))) full.set(name, chosen)
  }
  return Object.fromEntries(full)
}

type Field = readonly [name: string, property: unknown]

interface MultipleChoice {
  readonly name: string
  readonly title: unknown
  readonly choices: readonly { readonly field: string; readonly value: unknown; readonly title: unknown }[]
}

function findMultipleChoices(properties: JsonObject): readonly MultipleChoice[] {
  return Object.entries(properties).flatMap(([name, property]) => {
    if (!isJsonObject(property) || property.type !== 'array') return []
    const options = readOptions(property.items)
    const choices = options.map(([value, title], index) => {
      // Zero-padded, because some clients sort fields by name as text.
      let field = `${name}_${String(index + 1).padStart(String(options.length).length, '0')}`
      while (Object.hasOwn(properties, field)) field += '_'
      return { field, value, title }
    })
    if (choices.length > 0) return [{ name, title: property.title ?? property.description, choices }]
    throw new Failure(`This client's protocol revision has no lists of free entries ('${name}').`)
  })
}

function readOptions(items: unknown): readonly (readonly [value: unknown, title: unknown])[] {
  if (!isJsonObject(items)) return []
  if (Array.isArray(items.enum)) return items.enum.map((value) => [value, value])
  const alternatives = [items.anyOf, items.oneOf].find((list) => Array.isArray(list)) ?? []
  return alternatives.filter(isJsonObject).map((option) => [option.const, option.title ?? option.const])
}

function toBooleanFields({ title, choices }: MultipleChoice): readonly Field[] {
  return choices.map((choice) => [
    choice.field,
    { type: 'boolean', title: choice.title, ...(title !== undefined && { description: title }), default: false },
  ])
}

function downgradeField(property: unknown): unknown {
  if (!isJsonObject(property) || !Array.isArray(property.oneOf)) return property
  const { oneOf, ...rest } = property
  const options = oneOf.filter(isJsonObject)
  return {
    ...rest,
    enum: options.map((option) => option.const),
    enumNames: options.map((option) => option.title ?? option.const),
  }
}
