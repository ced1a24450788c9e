// Keywords that apply several schemas to the same value, and `unevaluated…`, which depends on what the others
// evaluated. What a schema evaluated counts only if the value is valid for it.

import { isObject } from '../json.js'
import { explainClosest } from './explain.js'
import {
  createSeen,
  isArray,
  mergeSeen,
  simpleRule,
  type Build,
  type JsonSchema,
  type Keyword,
  type Node,
  type Rule,
  type Seen,
} from './rule.js'
import { readAllowed, readTypes } from './values.js'
import { either, kindsOf, nameOf, nameWith, said, spelt } from './words.js'

export const branchKeywords: readonly Keyword[] = [allOf, anyOf, oneOf, not, ifThenElse]

function allOf({ schema, same }: Build): Rule | undefined {
  const nodes = compileList(schema.allOf, same)
  return nodes.length === 0 ? undefined : everyRule(nodes)
}

/** Also used for `$ref`, which is one more schema for the same value. */
export function everyRule(nodes: readonly Node[]): Rule {
  const [only, second] = nodes
  if (only !== undefined && second === undefined) {
    const is: Rule['is'] = (value, evaluated) => only.is(value, evaluated)
    return { is, explain: (value, at, alternativeDepth) => only.explain(value, at, alternativeDepth), sameAs: only }
  }
  return {
    is(value, evaluated) {
      for (let index = 0; index < nodes.length; index++) if (nodes[index]?.is(value, evaluated) === false) return false
      return true
    },
    *explain(value, at, alternativeDepth) {
      for (const node of nodes) yield* node.explain(value, at, alternativeDepth)
    },
  }
}

function anyOf({ schema, same }: Build): Rule | undefined {
  const nodes = compileList(schema.anyOf, same)
  if (nodes.length === 0) return undefined
  const is = (value: unknown, evaluated?: Seen) => {
    let isAnyValid = false
    for (const node of nodes) {
      if (!(evaluated === undefined ? node.is(value) : testAndRecord(node, value, evaluated))) continue
      if (evaluated === undefined) return true
      isAnyValid = true
    }
    return isAnyValid
  }
  return {
    is,
    explain: (value, at, alternativeDepth) => (is(value) ? [] : explainClosest(nodes, value, at, alternativeDepth)),
  }
}

function oneOf({ schema, same }: Build): Rule | undefined {
  const nodes = compileList(schema.oneOf, same)
  if (nodes.length === 0) return undefined
  return {
    is(value, evaluated) {
      let count = 0
      for (const node of nodes) {
        if ((evaluated === undefined ? node.is(value) : testAndRecord(node, value, evaluated)) && ++count > 1)
          return false
      }
      return count === 1
    },
    explain(value, at, alternativeDepth) {
      const count = nodes.filter((node) => node.is(value)).length
      if (count === 0) return explainClosest(nodes, value, at, alternativeDepth)
      const text = `${count} of the ${nodes.length} allowed forms, and must fit only one`
      return count === 1 ? [] : [{ at, message: `${nameWith(at, 'fits', 'fit')} ${text}` }]
    },
  }
}

function testAndRecord(node: Node, value: unknown, evaluated: Seen): boolean {
  const ownParts = createSeen()
  if (!node.is(value, ownParts)) return false
  mergeSeen(evaluated, ownParts)
  return true
}

function not({ schema, same }: Build): Rule | undefined {
  if (schema.not === undefined) return undefined
  const node = same(schema.not)
  return simpleRule(
    (value) => !node.is(value),
    (value, at) => {
      const forbidden = isObject(schema.not) ? describeSimpleSchema(schema.not) : undefined
      if (forbidden !== undefined) return `${nameOf(at)} must not be ${forbidden}, got ${said(value)}`
      return `${nameOf(at)} must not have this form`
    },
  )
}

/** Describes a schema of one keyword; undefined for others. */
function describeSimpleSchema(schema: JsonSchema): string | undefined {
  if (Object.keys(schema).length !== 1) return undefined
  const types = readTypes(schema)
  if (types !== undefined) return kindsOf(types)
  return readAllowed(schema) === undefined ? undefined : either((readAllowed(schema) ?? []).slice(0, 10).map(spelt))
}

function ifThenElse({ schema, same }: Build): Rule | undefined {
  if (schema.if === undefined) return undefined
  const test = same(schema.if)
  const then = schema.then === undefined ? undefined : same(schema.then)
  const otherwise = schema.else === undefined ? undefined : same(schema.else)
  return {
    is(value, evaluated) {
      const branch = (evaluated === undefined ? test.is(value) : testAndRecord(test, value, evaluated))
        ? then
        : otherwise
      return branch === undefined || branch.is(value, evaluated)
    },
    explain: (value, at, alternativeDepth) =>
      (test.is(value) ? then : otherwise)?.explain(value, at, alternativeDepth) ?? [],
  }
}

function compileList(list: unknown, same: Build['same']): readonly Node[] {
  return isArray(list) ? list.map((schema) => same(schema)) : []
}

/** Wraps the rule of all other keywords, because `unevaluated…` applies to what they left. */
export function unevaluatedRule(others: Rule, { schema, child }: Build): Rule | undefined {
  const items = schema.unevaluatedItems === undefined ? undefined : child(schema.unevaluatedItems)
  const fields = schema.unevaluatedProperties === undefined ? undefined : child(schema.unevaluatedProperties)
  if (items === undefined && fields === undefined) return undefined
  return {
    is(value, evaluated) {
      if (typeof value !== 'object') return others.is(value)
      const ownParts = createSeen()
      if (!others.is(value, ownParts)) return false
      if (items !== undefined && isArray(value)) {
        for (let index = ownParts.below; index < value.length; index++) {
          if (!ownParts.indexes.has(index) && !items.is(value[index])) return false
        }
        ownParts.below = value.length
      }
      if (fields !== undefined && isObject(value) && !ownParts.allKeys) {
        for (const key in value) {
          if (!ownParts.keys.has(key) && Object.hasOwn(value, key) && !fields.is(value[key])) return false
        }
        ownParts.allKeys = true
      }
      if (evaluated !== undefined) mergeSeen(evaluated, ownParts)
      return true
    },
    *explain(value, parent, alternativeDepth) {
      yield* others.explain(value, parent, alternativeDepth)
      const ownParts = createSeen()
      if (!others.is(value, ownParts)) return
      if (items !== undefined && isArray(value)) {
        for (const [key, item] of value.entries()) {
          if (key >= ownParts.below && !ownParts.indexes.has(key))
            yield { at: { parent, key }, node: items, value: item }
        }
      }
      if (fields !== undefined && isObject(value) && !ownParts.allKeys) {
        for (const key of Object.keys(value)) {
          if (!ownParts.keys.has(key)) yield { at: { parent, key }, node: fields, value: value[key] }
        }
      }
    },
  }
}
