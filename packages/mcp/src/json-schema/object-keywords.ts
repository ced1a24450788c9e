// Schema keywords for object properties. Only own properties are read, so a property named `__proto__` or `toString` is
// data.

import { isJsonObject } from '../json/json.js'
import { describeCount, describePath, mustBeField } from './problem-text.js'
import {
  createSimpleRule,
  type KeywordCompiler,
  type KeywordContext,
  readCount,
  readNames,
  readPattern,
  type SchemaNode,
  type SchemaRule,
} from './rule.js'

export const objectKeywords: readonly KeywordCompiler[] = [
  fields,
  patternAndAdditional,
  propertyNames,
  propertyCount,
  dependentRequired,
  dependentSchemas,
]

interface Field {
  readonly key: string
  readonly node: SchemaNode | undefined
  readonly isRequired: boolean
}

/** `properties` and `required` together, with one lookup for both. */
function fields({ schema, child }: KeywordContext): SchemaRule | undefined {
  const required = new Set(readNames(schema.required, 'required'))
  const declared = entriesOf(schema.properties)
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

/** `patternProperties` and `additionalProperties` together, with one pass over the keys. */
function patternAndAdditional({ schema, child }: KeywordContext): SchemaRule | undefined {
  const known = new Set(entriesOf(schema.properties).map(([key]) => key))
  const patterns = entriesOf(schema.patternProperties).map(([source, member]) => ({
    expression: readPattern(source),
    node: child(member),
  }))
  const rest = schema.additionalProperties === undefined ? undefined : child(schema.additionalProperties)
  if (patterns.length === 0) return rest === undefined ? undefined : createRestRule(rest, known)
  return {
    isValid(value, evaluated) {
      if (!isJsonObject(value)) return true
      for (const key in value) {
        if (!Object.hasOwn(value, key)) continue
        let isKnown = known.has(key)
        for (const { expression, node } of patterns) {
          if (!expression.test(key)) continue
          isKnown = true
          evaluated?.keys.add(key)
          if (!node.isValid(value[key])) return false
        }
        if (!isKnown && rest?.isValid(value[key]) === false) return false
      }
      if (evaluated !== undefined && rest !== undefined) evaluated.allKeys = true
      return true
    },
    *explain(value, parent) {
      if (!isJsonObject(value)) return
      for (const key of Object.keys(value)) {
        const at = { parent, key }
        const matching = patterns.filter(({ expression }) => expression.test(key))
        for (const { node } of matching) yield { at, node, value: value[key] }
        if (rest !== undefined && matching.length === 0 && !known.has(key)) yield { at, node: rest, value: value[key] }
      }
    },
  }
}

function createRestRule(rest: SchemaNode, known: ReadonlySet<string>): SchemaRule {
  const names = [...known]
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

function propertyNames({ schema, child }: KeywordContext): SchemaRule | undefined {
  if (schema.propertyNames === undefined) return undefined
  const node = child(schema.propertyNames)
  return {
    isValid(value) {
      if (!isJsonObject(value)) return true
      for (const key in value) if (Object.hasOwn(value, key) && !node.isValid(key)) return false
      return true
    },
    *explain(value, parent) {
      if (!isJsonObject(value)) return
      for (const key of Object.keys(value)) yield { at: { parent, key, isName: true }, node, value: key }
    },
  }
}

function propertyCount({ schema }: KeywordContext): SchemaRule | undefined {
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

function dependentRequired({ schema }: KeywordContext): SchemaRule | undefined {
  const dependencies = [
    ...entriesOf(schema.dependentRequired),
    ...entriesOf(schema.dependencies).filter(isNameList),
  ].map(([key, names]) => ({ key, names: readNames(names, 'dependentRequired') }))
  if (dependencies.length === 0) return undefined
  return {
    isValid(value) {
      if (!isJsonObject(value)) return true
      for (const { key, names } of dependencies) {
        if (!Object.hasOwn(value, key)) continue
        for (const name of names) if (!Object.hasOwn(value, name)) return false
      }
      return true
    },
    *explain(value, parent) {
      if (!isJsonObject(value)) return
      for (const { key, names } of dependencies.filter((need) => Object.hasOwn(value, need.key))) {
        for (const name of names.filter((each) => !Object.hasOwn(value, each))) {
          const at = { parent, key: name }
          yield { at, message: `${describePath(at)} is required when ${describePath({ parent, key })} is given` }
        }
      }
    },
  }
}

function dependentSchemas({ schema, inPlace }: KeywordContext): SchemaRule | undefined {
  const dependencies = [
    ...entriesOf(schema.dependentSchemas),
    ...entriesOf(schema.dependencies).filter((member) => !isNameList(member)),
  ].map(([key, member]) => ({ key, node: inPlace(member) }))
  if (dependencies.length === 0) return undefined
  return {
    isValid(value, evaluated) {
      if (!isJsonObject(value)) return true
      for (const { key, node } of dependencies)
        if (Object.hasOwn(value, key) && !node.isValid(value, evaluated)) return false
      return true
    },
    *explain(value, at, alternativeDepth) {
      if (!isJsonObject(value)) return
      for (const { key, node } of dependencies)
        if (Object.hasOwn(value, key)) yield* node.explain(value, at, alternativeDepth)
    },
  }
}

function isNameList([, member]: readonly [string, unknown]): boolean {
  return Array.isArray(member)
}

function entriesOf(map: unknown): readonly (readonly [string, unknown])[] {
  return isJsonObject(map) ? Object.entries(map) : []
}
