// Equality of JSON values: members in any order, 1 equals 1.0. Only own properties count, so a key named `__proto__` is
// data. Used by the keywords enum, const and uniqueItems. Pure.

import { isJsonObject } from '../json/json.js'
import { isArray } from './rule.js'

export function isJsonEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (isArray(a)) return isArray(b) && a.length === b.length && a.every((item, index) => isJsonEqual(item, b[index]))
  if (!isJsonObject(a) || !isJsonObject(b)) return false
  const keys = Object.keys(a)
  return (
    keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && isJsonEqual(a[key], b[key]))
  )
}

/** Returns the indexes of the first two equal items, or undefined. Linear time for any items. */
export function findDuplicate(items: readonly unknown[]): readonly [number, number] | undefined {
  const primitives = new Map<unknown, number>()
  const composites = new Map<string, number>()
  for (const [index, item] of items.entries()) {
    const isComposite = typeof item === 'object' && item !== null
    const text = isComposite ? toCanonicalText(item) : ''
    const previous = isComposite ? composites.get(text) : primitives.get(item)
    if (previous !== undefined) return [previous, index]
    if (isComposite) composites.set(text, index)
    else primitives.set(item, index)
  }
  return undefined
}

/** Returns the same text for equal values. */
function toCanonicalText(value: unknown): string {
  if (isArray(value)) return `[${value.map(toCanonicalText).join()}]`
  // Numbers too large for JSON are read as Infinity, which JSON.stringify writes as null.
  if (!isJsonObject(value)) return typeof value === 'string' ? JSON.stringify(value) : String(value)
  const members = Object.keys(value)
    .toSorted()
    .map((key) => `${JSON.stringify(key)}:${toCanonicalText(value[key])}`)
  return `{${members.join()}}`
}
