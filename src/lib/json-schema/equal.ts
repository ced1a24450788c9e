// When two JSON values are the same value: members in any order, 1 and 1.0 alike. The law: only own properties count, so a
// key called `__proto__` is data like any other.

import { isObject } from '../json.js'
import { isArray } from './rule.js'

export function isEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (isArray(a)) return isArray(b) && a.length === b.length && a.every((item, index) => isEqual(item, b[index]))
  if (!isObject(a) || !isObject(b)) return false
  const keys = Object.keys(a)
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && isEqual(a[key], b[key]))
}

/** The first two equal items, or undefined. Linear, whatever the items are. */
export function findRepeat(items: readonly unknown[]): readonly [number, number] | undefined {
  const simple = new Map<unknown, number>()
  const deep = new Map<string, number>()
  for (const [index, item] of items.entries()) {
    const isDeep = typeof item === 'object' && item !== null
    const text = isDeep ? canonical(item) : ''
    const earlier = isDeep ? deep.get(text) : simple.get(item)
    if (earlier !== undefined) return [earlier, index]
    if (isDeep) deep.set(text, index)
    else simple.set(item, index)
  }
  return undefined
}

/** The same text for equal values. */
function canonical(value: unknown): string {
  if (isArray(value)) return `[${value.map(canonical).join()}]`
  if (!isObject(value)) return JSON.stringify(value) ?? 'undefined'
  const members = Object.keys(value)
    .toSorted()
    .map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`)
  return `{${members.join()}}`
}
