// Schema keywords for array items.

import { findRepeat } from './equal.js'
import { isArray, readCount, simpleRule, type Build, type Keyword, type Rule } from './rule.js'
import { countWords, nameOf } from './words.js'

export const arrayKeywords: readonly Keyword[] = [items, itemCount, contains, uniqueItems]

/** `prefixItems` and `items`, which older dialects call `items` and `additionalItems`. */
function items({ schema, child }: Build): Rule | undefined {
  const isOldSyntax = isArray(schema.items)
  const first = isOldSyntax ? schema.items : schema.prefixItems
  const prefix = isArray(first) ? first.map((item) => child(item)) : []
  const last = isOldSyntax ? schema.additionalItems : schema.items
  const rest = last === undefined ? undefined : child(last)
  if (prefix.length === 0 && rest === undefined) return undefined
  return {
    is(value, evaluated) {
      if (!isArray(value)) return true
      const count = rest === undefined ? Math.min(prefix.length, value.length) : value.length
      for (let index = 0; index < count; index++) {
        if ((prefix[index] ?? rest)?.is(value[index]) === false) return false
      }
      if (evaluated !== undefined) evaluated.below = Math.max(evaluated.below, count)
      return true
    },
    *explain(value, parent) {
      if (!isArray(value)) return
      if (rest?.schema === false && value.length > prefix.length) {
        const expected = countWords(undefined, prefix.length, 'item', 'items')
        yield { at: parent, message: `${nameOf(parent)} must have ${expected}, got ${value.length}` }
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

function itemCount({ schema }: Build): Rule | undefined {
  const min = readCount(schema, 'minItems')
  const max = readCount(schema, 'maxItems')
  if (min === undefined && max === undefined) return undefined
  const expected = countWords(min, max, 'item', 'items')
  return simpleRule(
    (value) => !isArray(value) || (value.length >= (min ?? 0) && value.length <= (max ?? Infinity)),
    (value, at) => `${nameOf(at)} must have ${expected}, got ${isArray(value) ? value.length : 0}`,
  )
}

function contains({ schema, child, dialect }: Build): Rule | undefined {
  if (schema.contains === undefined) return undefined
  const node = child(schema.contains)
  const min = readCount(schema, 'minContains') ?? 1
  const max = readCount(schema, 'maxContains')
  const expected = countWords(min === 0 ? undefined : min, max, 'matching item', 'matching items')
  const countMatching = (value: readonly unknown[]) => value.filter((item) => node.is(item)).length
  return simpleRule(
    (value, evaluated) => {
      if (!isArray(value)) return true
      let count = 0
      for (let index = 0; index < value.length; index++) {
        if (!node.is(value[index])) continue
        count++
        if (dialect === '2020-12') evaluated?.indexes.add(index)
        if (evaluated === undefined && max === undefined && count >= min) return true
      }
      return count >= min && count <= (max ?? Infinity)
    },
    (value, at) => {
      const got = isArray(value) ? countMatching(value) : 0
      return `${nameOf(at)} must contain ${expected}, got ${got}`
    },
  )
}

function uniqueItems({ schema }: Build): Rule | undefined {
  if (schema.uniqueItems !== true) return undefined
  return simpleRule(
    (value) => !isArray(value) || value.length < 2 || findRepeat(value) === undefined,
    (value, at) => {
      const [first, second] = (isArray(value) ? findRepeat(value) : undefined) ?? [0, 0]
      return `${nameOf(at)} must not repeat an item, but [${first}] and [${second}] are the same`
    },
  )
}
