// The schema keywords of the full compiler (compile.ts), except those that need other schemas for the same value. Pure.

import { isJsonObject } from '../json/json.js'
import { itemCount, items, uniqueItems } from './array-keywords.js'
import { additionalProperties, fields, propertyCount, readEntries } from './object-keywords.js'
import { describeCount, describePath } from './problem-text.js'
import {
  createSimpleRule,
  isArray,
  type KeywordCompiler,
  type KeywordContext,
  readCount,
  readNames,
  readPattern,
  type SchemaRule,
} from './rule.js'
import { valueKeywords } from './value-keywords.js'

/** In the order best for error messages. */
export const FULL_KEYWORDS: readonly KeywordCompiler[] = [
  ...valueKeywords,
  fields,
  patternAndAdditional,
  propertyNames,
  propertyCount,
  dependentRequired,
  dependentSchemas,
  items,
  itemCount,
  contains,
  uniqueItems,
]

/** `patternProperties` and `additionalProperties` together, with one pass over the keys. */
function patternAndAdditional(context: KeywordContext): SchemaRule | undefined {
  const { schema, child } = context
  const patterns = readEntries(schema.patternProperties).map(([source, member]) => ({
    expression: readPattern(source),
    node: child(member),
  }))
  if (patterns.length === 0) return additionalProperties(context)
  const known = new Set(readEntries(schema.properties).map(([key]) => key))
  const rest = schema.additionalProperties === undefined ? undefined : child(schema.additionalProperties)
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

function dependentRequired({ schema }: KeywordContext): SchemaRule | undefined {
  const dependencies = [
    ...readEntries(schema.dependentRequired),
    ...readEntries(schema.dependencies).filter(isNameList),
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
    ...readEntries(schema.dependentSchemas),
    ...readEntries(schema.dependencies).filter((member) => !isNameList(member)),
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

function contains({ schema, child, dialect }: KeywordContext): SchemaRule | undefined {
  if (schema.contains === undefined) return undefined
  const node = child(schema.contains)
  const min = readCount(schema, 'minContains') ?? 1
  const max = readCount(schema, 'maxContains')
  const expected = describeCount(min === 0 ? undefined : min, max, 'matching item', 'matching items')
  const countMatching = (value: readonly unknown[]) => value.filter((item) => node.isValid(item)).length
  return createSimpleRule(
    (value, evaluated) => {
      if (!isArray(value)) return true
      let count = 0
      for (let index = 0; index < value.length; index++) {
        if (!node.isValid(value[index])) continue
        count++
        if (dialect === '2020-12') evaluated?.indexes.add(index)
        if (evaluated === undefined && max === undefined && count >= min) return true
      }
      return count >= min && count <= (max ?? Infinity)
    },
    (value, at) => {
      const got = isArray(value) ? countMatching(value) : 0
      return `${describePath(at)} must contain ${expected}, got ${got}`
    },
  )
}
