// Schema keywords for object properties, for both compilers (compile-simple.ts, full-keywords.ts). Only own properties
// are read, so a property named `__proto__` or `toString` is data. Pure.

import { isJsonObject } from '../json/json.js'
import { describeCount, describePath, mustBeField } from './problem-text.js'
import {
  createSimpleRule,
  type KeywordContext,
  readCount,
  readNames,
  type SchemaNode,
  type SchemaRule,
} from './rule.js'

interface Field {
  readonly key: string
  readonly node: SchemaNode | undefined
  readonly isRequired: boolean
}

/** `properties` and `required` together, with one lookup for both. */
export function fields({ schema, child }: KeywordContext): SchemaRule | undefined {
  const required = new Set(readNames(schema.required, 'required'))
  const declared = readEntries(schema.properties)
  const known = new Set(declared.map(([key]) => key))
  const members: readonly Field[] = [
    ...declared.map(([key, member]) => ({ key, node: child(member), isRequired: required.has(key) })),
    ...[...required].filter((key) => !known.has(key)).map((key) => ({ key, node: undefined, isRequired: true })),
  ]
  if (members.length === 0) return undefined
  return {
    isValid(value, evaluated) {
      if (!isJsonObject(value)) return true
      for (let at = 0; at < members.length; at++) {
        const field = members[at]
        if (field === undefined) continue
        if (!Object.hasOwn(value, field.key)) {
          if (field.isRequired) return false
        } else if (field.node !== undefined) {
          if (!field.node.isValid(value[field.key])) return false
          evaluated?.keys.add(field.key)
        }
      }
      return true
    },
    *explain(value, parent) {
      if (!isJsonObject(value)) return
      for (const { key, isRequired } of members) {
        const at = { parent, key }
        if (isRequired && !Object.hasOwn(value, key)) yield { at, message: `${describePath(at)} is required` }
      }
      for (const { key, node } of members) {
        if (node !== undefined && Object.hasOwn(value, key)) yield { at: { parent, key }, node, value: value[key] }
      }
    },
  }
}

/** `additionalProperties` of a schema without `patternProperties`. */
export function additionalProperties({ schema, child }: KeywordContext): SchemaRule | undefined {
  if (schema.additionalProperties === undefined) return undefined
  const rest = child(schema.additionalProperties)
  const names = readEntries(schema.properties).map(([key]) => key)
  const known = new Set(names)
  return {
    isValid(value, evaluated) {
      if (!isJsonObject(value)) return true
      if (evaluated !== undefined) evaluated.allKeys = true
      if (rest.schema === true) return true
      for (const key in value) {
        if (!known.has(key) && Object.hasOwn(value, key) && !rest.isValid(value[key])) return false
      }
      return true
    },
    *explain(value, parent) {
      if (!isJsonObject(value)) return
      for (const key of Object.keys(value)) {
        if (known.has(key)) continue
        const at = { parent, key }
        if (rest.schema !== false || names.length === 0) yield { at, node: rest, value: value[key] }
        else yield { at, message: mustBeField(names, at) }
      }
    },
  }
}

export function propertyCount({ schema }: KeywordContext): SchemaRule | undefined {
  const min = readCount(schema, 'minProperties')
  const max = readCount(schema, 'maxProperties')
  if (min === undefined && max === undefined) return undefined
  const expected = describeCount(min, max, 'field', 'fields')
  return createSimpleRule(
    (value) => !isJsonObject(value) || isInRange(countKeys(value), min, max),
    (value, at) => `${describePath(at)} must have ${expected}, got ${countKeys(value)}`,
  )
}

function isInRange(count: number, min = 0, max = Infinity): boolean {
  return count >= min && count <= max
}

function countKeys(value: unknown): number {
  let count = 0
  if (isJsonObject(value)) for (const key in value) if (Object.hasOwn(value, key)) count++
  return count
}

export function readEntries(map: unknown): readonly (readonly [string, unknown])[] {
  return isJsonObject(map) ? Object.entries(map) : []
}
