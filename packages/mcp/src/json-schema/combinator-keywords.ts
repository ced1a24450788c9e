// Keywords that apply several schemas to the same value, and `unevaluated…`, which depends on what the others
// evaluated. What a schema evaluated counts only if the value is valid for it. Used by compile.ts. Pure.

import { isJsonObject } from '../json/json.js'
import { explainClosestAlternative } from './closest-alternative.js'
import {
  describePath,
  describePathWithVerb,
  describeTypes,
  describeValue,
  joinWithOr,
  quoteJson,
} from './problem-text.js'
import {
  createEvaluatedParts,
  createSimpleRule,
  type EvaluatedParts,
  isArray,
  type JsonSchema,
  type KeywordCompiler,
  type KeywordContext,
  mergeEvaluatedParts,
  type SchemaNode,
  type SchemaRule,
} from './rule.js'
import { readAllowedValues, readTypes } from './value-keywords.js'

export const combinatorKeywords: readonly KeywordCompiler[] = [allOf, anyOf, oneOf, not, ifThenElse]

function allOf({ schema, inPlace }: KeywordContext): SchemaRule | undefined {
  const nodes = compileList(schema.allOf, inPlace)
  return nodes.length === 0 ? undefined : allOfRule(nodes)
}

/** Also used for `$ref`, which is one more schema for the same value. */
export function allOfRule(nodes: readonly SchemaNode[]): SchemaRule {
  const [only, second] = nodes
  if (only !== undefined && second === undefined) {
    const isValid: SchemaRule['isValid'] = (value, evaluated) => only.isValid(value, evaluated)
    return {
      isValid,
      explain: (value, at, alternativeDepth) => only.explain(value, at, alternativeDepth),
      aliasOf: only,
    }
  }
  return {
    isValid(value, evaluated) {
      for (let index = 0; index < nodes.length; index++)
        if (nodes[index]?.isValid(value, evaluated) === false) return false
      return true
    },
    *explain(value, at, alternativeDepth) {
      for (const node of nodes) yield* node.explain(value, at, alternativeDepth)
    },
  }
}

function anyOf({ schema, inPlace }: KeywordContext): SchemaRule | undefined {
  const nodes = compileList(schema.anyOf, inPlace)
  if (nodes.length === 0) return undefined
  const isValid = (value: unknown, evaluated?: EvaluatedParts) => {
    let isAnyValid = false
    for (const node of nodes) {
      if (!(evaluated === undefined ? node.isValid(value) : testAndRecord(node, value, evaluated))) continue
      if (evaluated === undefined) return true
      isAnyValid = true
    }
    return isAnyValid
  }
  return {
    isValid,
    explain: (value, at, alternativeDepth) =>
      isValid(value) ? [] : explainClosestAlternative(nodes, value, at, alternativeDepth),
  }
}

function oneOf({ schema, inPlace }: KeywordContext): SchemaRule | undefined {
  const nodes = compileList(schema.oneOf, inPlace)
  if (nodes.length === 0) return undefined
  return {
    isValid(value, evaluated) {
      let count = 0
      for (const node of nodes) {
        if ((evaluated === undefined ? node.isValid(value) : testAndRecord(node, value, evaluated)) && ++count > 1)
          return false
      }
      return count === 1
    },
    explain(value, at, alternativeDepth) {
      const count = nodes.filter((node) => node.isValid(value)).length
      if (count === 0) return explainClosestAlternative(nodes, value, at, alternativeDepth)
      const text = `${count} of the ${nodes.length} allowed forms, and must fit only one`
      return count === 1 ? [] : [{ at, message: `${describePathWithVerb(at, 'fits', 'fit')} ${text}` }]
    },
  }
}

function testAndRecord(node: SchemaNode, value: unknown, evaluated: EvaluatedParts): boolean {
  const ownParts = createEvaluatedParts()
  if (!node.isValid(value, ownParts)) return false
  mergeEvaluatedParts(evaluated, ownParts)
  return true
}

function not({ schema, inPlace }: KeywordContext): SchemaRule | undefined {
  if (schema.not === undefined) return undefined
  const node = inPlace(schema.not)
  return createSimpleRule(
    (value) => !node.isValid(value),
    (value, at) => {
      const forbidden = isJsonObject(schema.not) ? describeSimpleSchema(schema.not) : undefined
      if (forbidden !== undefined) return `${describePath(at)} must not be ${forbidden}, got ${describeValue(value)}`
      return `${describePath(at)} must not have this form`
    },
  )
}

/** Describes a schema of one keyword; undefined for others. */
function describeSimpleSchema(schema: JsonSchema): string | undefined {
  if (Object.keys(schema).length !== 1) return undefined
  const types = readTypes(schema)
  if (types !== undefined) return describeTypes(types)
  return readAllowedValues(schema) === undefined
    ? undefined
    : joinWithOr((readAllowedValues(schema) ?? []).slice(0, 10).map(quoteJson))
}

function ifThenElse({ schema, inPlace }: KeywordContext): SchemaRule | undefined {
  if (schema.if === undefined) return undefined
  const test = inPlace(schema.if)
  const then = schema.then === undefined ? undefined : inPlace(schema.then)
  const otherwise = schema.else === undefined ? undefined : inPlace(schema.else)
  return {
    isValid(value, evaluated) {
      const branch = (evaluated === undefined ? test.isValid(value) : testAndRecord(test, value, evaluated))
        ? then
        : otherwise
      return branch === undefined || branch.isValid(value, evaluated)
    },
    explain: (value, at, alternativeDepth) =>
      (test.isValid(value) ? then : otherwise)?.explain(value, at, alternativeDepth) ?? [],
  }
}

function compileList(list: unknown, same: KeywordContext['inPlace']): readonly SchemaNode[] {
  return isArray(list) ? list.map((schema) => same(schema)) : []
}

/** Wraps the rule of all other keywords, because `unevaluated…` applies to what they left. */
export function unevaluatedRule(others: SchemaRule, { schema, child }: KeywordContext): SchemaRule | undefined {
  const items = schema.unevaluatedItems === undefined ? undefined : child(schema.unevaluatedItems)
  const fields = schema.unevaluatedProperties === undefined ? undefined : child(schema.unevaluatedProperties)
  if (items === undefined && fields === undefined) return undefined
  return {
    isValid(value, evaluated) {
      if (typeof value !== 'object') return others.isValid(value)
      const ownParts = createEvaluatedParts()
      if (!others.isValid(value, ownParts)) return false
      if (items !== undefined && isArray(value)) {
        for (let index = ownParts.evaluatedBefore; index < value.length; index++) {
          if (!ownParts.indexes.has(index) && !items.isValid(value[index])) return false
        }
        ownParts.evaluatedBefore = value.length
      }
      if (fields !== undefined && isJsonObject(value) && !ownParts.allKeys) {
        for (const key in value) {
          if (!ownParts.keys.has(key) && Object.hasOwn(value, key) && !fields.isValid(value[key])) return false
        }
        ownParts.allKeys = true
      }
      if (evaluated !== undefined) mergeEvaluatedParts(evaluated, ownParts)
      return true
    },
    *explain(value, parent, alternativeDepth) {
      yield* others.explain(value, parent, alternativeDepth)
      const ownParts = createEvaluatedParts()
      if (!others.isValid(value, ownParts)) return
      if (items !== undefined && isArray(value)) {
        for (const [key, item] of value.entries()) {
          if (key >= ownParts.evaluatedBefore && !ownParts.indexes.has(key))
            yield { at: { parent, key }, node: items, value: item }
        }
      }
      if (fields !== undefined && isJsonObject(value) && !ownParts.allKeys) {
        for (const key of Object.keys(value)) {
          if (!ownParts.keys.has(key)) yield { at: { parent, key }, node: fields, value: value[key] }
        }
      }
    },
  }
}
