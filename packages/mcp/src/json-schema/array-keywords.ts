// Schema keywords for array items, for both compilers (compile-simple.ts, full-keywords.ts). Pure.

import { findDuplicate } from './json-equal.js'
import { describeCount, describePath } from './problem-text.js'
import { createSimpleRule, isArray, type KeywordContext, readCount, type SchemaRule } from './rule.js'

/** `prefixItems` and `items`, which older dialects call `items` and `additionalItems`. */
export function items({ schema, child }: KeywordContext): SchemaRule | undefined {
  const isOldSyntax = isArray(schema.items)
  const first = isOldSyntax ? schema.items : schema.prefixItems
  const prefix = isArray(first) ? first.map((item) => child(item)) : []
  const last = isOldSyntax ? schema.additionalItems : schema.items
  const rest = last === undefined ? undefined : child(last)
  if (prefix.length === 0 && rest === undefined) return undefined
  return {
    isValid(value, evaluated) {
      if (!isArray(value)) return true
      const count = rest === undefined ? Math.min(prefix.length, value.length) : value.length
      for (let index = 0; index < count; index++) {
        if ((prefix[index] ?? rest)?.isValid(value[index]) === false) return false
      }
      if (evaluated !== undefined) evaluated.evaluatedBefore = Math.max(evaluated.evaluatedBefore, count)
      return true
    },
    *explain(value, parent) {
      if (!isArray(value)) return
      if (rest?.schema === false && value.length > prefix.length) {
        const expected = describeCount(undefined, prefix.length, 'item', 'items')
        yield { at: parent, message: `${describePath(parent)} must have ${expected}, got ${value.length}` }
      }
      const others = rest?.schema === false ? undefined : rest
      for (const [key, item] of value.entries()) {
        const node = prefix[key] ?? others
        if (node === undefined) return
        yield { at: { parent, key }, node, value: item }
      }
    },
  }
}

export function itemCount({ schema }: KeywordContext): SchemaRule | undefined {
  const min = readCount(schema, 'minItems')
  const max = readCount(schema, 'maxItems')
  if (min === undefined && max === undefined) return undefined
  const expected = describeCount(min, max, 'item', 'items')
  return createSimpleRule(
    (value) => !isArray(value) || (value.length >= (min ?? 0) && value.length <= (max ?? Infinity)),
    (value, at) => `${describePath(at)} must have ${expected}, got ${isArray(value) ? value.length : 0}`,
  )
}

export function uniqueItems({ schema }: KeywordContext): SchemaRule | undefined {
  if (schema.uniqueItems !== true) return undefined
  return createSimpleRule(
    (value) => !isArray(value) || value.length < 2 || findDuplicate(value) === undefined,
    (value, at) => {
      const [first, second] = (isArray(value) ? findDuplicate(value) : undefined) ?? [0, 0]
      return `${describePath(at)} must not repeat an item, but [${first}] and [${second}] are the same`
    },
  )
}
