// The keywords about the items of an array.

import { findRepeat } from './equal.js'
import { isArray, readCount, simpleRule, type Build, type Keyword, type Rule } from './rule.js'
import { countWords, nameOf } from './words.js'

export const arrayKeywords: readonly Keyword[] = [items, itemCount, contains, uniqueItems]

/** `prefixItems` and `items`, which older dialects spell `items` and `additionalItems`. */
function items({ schema, child }: Build): Rule | undefined {
  const isOlder = isArray(schema.items)
  const first = isOlder ? schema.items : schema.prefixItems
  const prefix = isArray(first) ? first.map((item) => child(item)) : []
  const last = isOlder ? schema.additionalItems : schema.items
  const rest = last === undefined ? undefined : child(last)
  if (prefix.length === 0 && rest === undefined) return undefined
  return {
    is(value, seen) {
      if (!isArray(value)) return true
      const count = rest === undefined ? Math.min(prefix.length, value.length) : value.length
      for (let index = 0; index < count; index++) {
        if ((prefix[index] ?? rest)?.is(value[index]) === false) return false
      }
      if (seen !== undefined) seen.below = Math.max(seen.below, count)
      return true
    },
    *explain(value, parent) {
      if (!isArray(value)) return
      if (rest?.schema === false && value.length > prefix.length) {
        const words = countWords(undefined, prefix.length, 'item', 'items')
        yield { at: parent, message: `${nameOf(parent)} must have ${words}, got ${value.length}` }
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
  const low = readCount(schema, 'minItems')
  const high = readCount(schema, 'maxItems')
  if (low === undefined && high === undefined) return undefined
  const words = countWords(low, high, 'item', 'items')
  return simpleRule(
    (value) => !isArray(value) || (value.length >= (low ?? 0) && value.length <= (high ?? Infinity)),
    (value, at) => `${nameOf(at)} must have ${words}, got ${isArray(value) ? value.length : 0}`,
  )
}

function contains({ schema, child, dialect }: Build): Rule | undefined {
  if (schema.contains === undefined) return undefined
  const node = child(schema.contains)
  const low = readCount(schema, 'minContains') ?? 1
  const high = readCount(schema, 'maxContains')
  const words = countWords(low === 0 ? undefined : low, high, 'matching item', 'matching items')
  const fitting = (value: readonly unknown[]) => value.filter((item) => node.is(item)).length
  return simpleRule(
    (value, seen) => {
      if (!isArray(value)) return true
      let count = 0
      for (let index = 0; index < value.length; index++) {
        if (!node.is(value[index])) continue
        count++
        if (dialect === '2020-12') seen?.indexes.add(index)
        if (seen === undefined && high === undefined && count >= low) return true
      }
      return count >= low && count <= (high ?? Infinity)
    },
    (value, at) => {
      const got = isArray(value) ? fitting(value) : 0
      return `${nameOf(at)} must contain ${words}, got ${got}`
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
