// Forms as clients before 2025-11-25 know them: choices with titles are two lists, and where several choices may be made
// each is a switch of its own. What they answer is turned back into what the asker's schema describes.

import { Failure } from '../lib/failure.js'
import { isObject, type JsonObject } from '../lib/json.js'

export function simplerForm(schema: JsonObject): JsonObject {
  const { properties, required } = schema
  if (!isObject(properties)) return schema
  const lists = listsIn(properties)
  const simpler = Object.entries(properties).flatMap(([name, property]): readonly Field[] => {
    const list = lists.find((each) => each.name === name)
    return list ? switchFields(list) : [[name, simplerField(property)]]
  })
  const isKept = (name: unknown): boolean => !lists.some((list) => list.name === name)
  return {
    ...schema,
    properties: Object.fromEntries(simpler),
    ...(Array.isArray(required) && { required: required.filter(isKept) }),
  }
}

/** What was said to the simpler form, as if it had been said to the one it was made from. */
export function fullContent({ properties, required }: JsonObject, content: unknown): unknown {
  if (!isObject(properties) || !isObject(content)) return content
  const full = new Map(Object.entries(content))
  for (const { name, choices } of listsIn(properties)) {
    const given = choices.map((choice) => ({ ...choice, on: content[choice.field] }))
    for (const { field } of choices) full.delete(field)
    const chosen = given.filter(({ on }) => on === true).map(({ value }) => value)
    // Nobody knows what is meant by a switch that is neither on nor off: the check of the answer is to see it.
    const odd = given.find(({ on }) => on !== undefined && on !== null && typeof on !== 'boolean')
    if (odd) full.set(name, odd.on)
    else if (chosen.length > 0 || (Array.isArray(required) && required.includes(name))) full.set(name, chosen)
  }
  return Object.fromEntries(full)
}

type Field = readonly [name: string, property: unknown]

interface List {
  readonly name: string
  readonly title: unknown
  readonly choices: readonly { readonly field: string; readonly value: unknown; readonly title: unknown }[]
}

function listsIn(properties: JsonObject): readonly List[] {
  return Object.entries(properties).flatMap(([name, property]) => {
    if (!isObject(property) || property.type !== 'array') return []
    const options = choicesOf(property.items)
    const choices = options.map(([value, title], index) => {
      // Some clients sort fields by name, as text.
      let field = `${name}_${String(index + 1).padStart(String(options.length).length, '0')}`
      while (Object.hasOwn(properties, field)) field += '_'
      return { field, value, title }
    })
    if (choices.length > 0) return [{ name, title: property.title ?? property.description, choices }]
    throw new Failure(`This client's protocol revision has no lists of free entries ('${name}').`)
  })
}

function choicesOf(items: unknown): readonly (readonly [value: unknown, title: unknown])[] {
  if (!isObject(items)) return []
  if (Array.isArray(items.enum)) return items.enum.map((value) => [value, value])
  const titled = [items.anyOf, items.oneOf].find((list) => Array.isArray(list)) ?? []
  return titled.filter(isObject).map((option) => [option.const, option.title ?? option.const])
}

function switchFields({ title, choices }: List): readonly Field[] {
  return choices.map((choice) => [
    choice.field,
    { type: 'boolean', title: choice.title, ...(title !== undefined && { description: title }), default: false },
  ])
}

function simplerField(property: unknown): unknown {
  if (!isObject(property) || !Array.isArray(property.oneOf)) return property
  const { oneOf, ...rest } = property
  const options = oneOf.filter(isObject)
  return {
    ...rest,
    enum: options.map((option) => option.const),
    enumNames: options.map((option) => option.title ?? option.const),
  }
}
