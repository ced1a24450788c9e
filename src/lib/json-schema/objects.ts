// Schema keywords for object properties. Only own properties are read, so a property named `__proto__` or `toString` is
// data.

import { isObject } from '../json.js'
import {
  readCount,
  readNames,
  readPattern,
  simpleRule,
  type Build,
  type Keyword,
  type Node,
  type Rule,
} from './rule.js'
import { countWords, mustBeField, nameOf } from './words.js'

export const objectKeywords: readonly Keyword[] = [
  fields,
  patternAndAdditional,
  propertyNames,
  propertyCount,
  dependentRequired,
  dependentSchemas,
]

interface Field {
  readonly key: string
  readonly node: Node | undefined
  readonly isRequired: boolean
}

/** `properties` and `required` together, with one lookup for both. */
function fields({ schema, child }: Build): Rule | undefined {
  const required = new Set(readNames(schema.required, 'required'))
  const declared = entriesOf(schema.properties)
  const known = new Set(declared.map(([key]) => key))
  const members: readonly Field[] = [
    ...declared.map(([key, member]) => ({ key, node: child(member), isRequired: required.has(key) })),
    ...[...required].filter((key) => !known.has(key)).map((key) => ({ key, node: undefined, isRequired: true })),
  ]
  if (members.length === 0) return undefined
  return {
    is(value, evaluated) {
      if (!isObject(value)) return true
      for (let at = 0; at < members.length; at++) {
        const field = members[at]
        if (field === undefined) continue
        if (!Object.hasOwn(value, field.key)) {
          if (field.isRequired) return false
        } else if (field.node !== undefined) {
          if (!field.node.is(value[field.key])) return false
          evaluated?.keys.add(field.key)
        }
      }
      return true
    },
    *explain(value, parent) {
      if (!isObject(value)) return
      for (const { key, isRequired } of members) {
        const at = { parent, key }
        if (isRequired && !Object.hasOwn(value, key)) yield { at, message: `${nameOf(at)} is required` }
      }
      for (const { key, node } of members) {
        if (node !== undefined && Object.hasOwn(value, key)) yield { at: { parent, key }, node, value: value[key] }
      }
    },
  }
}

/** `patternProperties` and `additionalProperties` together, with one pass over the keys. */
function patternAndAdditional({ schema, child }: Build): Rule | undefined {
  const known = new Set(entriesOf(schema.properties).map(([key]) => key))
  const patterns = entriesOf(schema.patternProperties).map(([source, member]) => ({
    expression: readPattern(source),
    node: child(member),
  }))
  const rest = schema.additionalProperties === undefined ? undefined : child(schema.additionalProperties)
  if (patterns.length === 0) return rest === undefined ? undefined : createRestRule(rest, known)
  return {
    is(value, evaluated) {
      if (!isObject(value)) return true
      for (const key in value) {
        if (!Object.hasOwn(value, key)) continue
        let isKnown = known.has(key)
        for (const { expression, node } of patterns) {
          if (!expression.test(key)) continue
          isKnown = true
          evaluated?.keys.add(key)
          if (!node.is(value[key])) return false
        }
        if (!isKnown && rest?.is(value[key]) === false) return false
      }
      if (evaluated !== undefined && rest !== undefined) evaluated.allKeys = true
      return true
    },
    *explain(value, parent) {
      if (!isObject(value)) return
      for (const key of Object.keys(value)) {
        const at = { parent, key }
        const matching = patterns.filter(({ expression }) => expression.test(key))
        for (const { node } of matching) yield { at, node, value: value[key] }
        if (rest !== undefined && matching.length === 0 && !known.has(key)) yield { at, node: rest, value: value[key] }
      }
    },
  }
}

function createRestRule(rest: Node, known: ReadonlySet<string>): Rule {
  const names = [...known]
  return {
    is(value, evaluated) {
      if (!isObject(value)) return true
      if (evaluated !== undefined) evaluated.allKeys = true
      if (rest.schema === true) return true
      for (const key in value) {
        if (!known.has(key) && Object.hasOwn(value, key) && !rest.is(value[key])) return false
      }
      return true
    },
    *explain(value, parent) {
      if (!isObject(value)) return
      for (const key of Object.keys(value)) {
        if (known.has(key)) continue
        const at = { parent, key }
        if (rest.schema !== false || names.length === 0) yield { at, node: rest, value: value[key] }
        else yield { at, message: mustBeField(names, at) }
      }
    },
  }
}

function propertyNames({ schema, child }: Build): Rule | undefined {
  if (schema.propertyNames === undefined) return undefined
  const node = child(schema.propertyNames)
  return {
    is(value) {
      if (!isObject(value)) return true
      for (const key in value) if (Object.hasOwn(value, key) && !node.is(key)) return false
      return true
    },
    *explain(value, parent) {
      if (!isObject(value)) return
      for (const key of Object.keys(value)) yield { at: { parent, key, isName: true }, node, value: key }
    },
  }
}

function propertyCount({ schema }: Build): Rule | undefined {
  const min = readCount(schema, 'minProperties')
  const max = readCount(schema, 'maxProperties')
  if (min === undefined && max === undefined) return undefined
  const expected = countWords(min, max, 'field', 'fields')
  return simpleRule(
    (value) => !isObject(value) || isInRange(countKeys(value), min, max),
    (value, at) => `${nameOf(at)} must have ${expected}, got ${countKeys(value)}`,
  )
}

function isInRange(count: number, min = 0, max = Infinity): boolean {
  return count >= min && count <= max
}

function countKeys(value: unknown): number {
  let count = 0
  if (isObject(value)) for (const key in value) if (Object.hasOwn(value, key)) count++
  return count
}

function dependentRequired({ schema }: Build): Rule | undefined {
  const dependencies = [
    ...entriesOf(schema.dependentRequired),
    ...entriesOf(schema.dependencies).filter(isNameList),
  ].map(([key, names]) => ({ key, names: readNames(names, 'dependentRequired') }))
  if (dependencies.length === 0) return undefined
  return {
    is(value) {
      if (!isObject(value)) return true
      for (const { key, names } of dependencies) {
        if (!Object.hasOwn(value, key)) continue
        for (const name of names) if (!Object.hasOwn(value, name)) return false
      }
      return true
    },
    *explain(value, parent) {
      if (!isObject(value)) return
      for (const { key, names } of dependencies.filter((need) => Object.hasOwn(value, need.key))) {
        for (const name of names.filter((each) => !Object.hasOwn(value, each))) {
          const at = { parent, key: name }
          yield { at, message: `${nameOf(at)} is required when ${nameOf({ parent, key })} is given` }
        }
      }
    },
  }
}

function dependentSchemas({ schema, same }: Build): Rule | undefined {
  const dependencies = [
    ...entriesOf(schema.dependentSchemas),
    ...entriesOf(schema.dependencies).filter((member) => !isNameList(member)),
  ].map(([key, member]) => ({ key, node: same(member) }))
  if (dependencies.length === 0) return undefined
  return {
    is(value, evaluated) {
      if (!isObject(value)) return true
      for (const { key, node } of dependencies)
        if (Object.hasOwn(value, key) && !node.is(value, evaluated)) return false
      return true
    },
    *explain(value, at, alternativeDepth) {
      if (!isObject(value)) return
      for (const { key, node } of dependencies)
        if (Object.hasOwn(value, key)) yield* node.explain(value, at, alternativeDepth)
    },
  }
}

function isNameList([, member]: readonly [string, unknown]): boolean {
  return Array.isArray(member)
}

function entriesOf(map: unknown): readonly (readonly [string, unknown])[] {
  return isObject(map) ? Object.entries(map) : []
}
