import fc from 'fast-check'
import { expect, test } from 'vitest'

import { canonicalJson } from './canonical-json.js'

test('ignores the order of keys at any depth, but not the order of lists', () => {
  expect(canonicalJson({ b: [{ y: 1, x: 2 }], a: null })).toBe('{"a":null,"b":[{"x":2,"y":1}]}')
  expect(canonicalJson([1, 2])).not.toBe(canonicalJson([2, 1]))
})

test('equal values have equal text, different values different text', () => {
  const turned = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(turned)
    if (typeof value !== 'object' || value === null) return value
    const entries = Object.entries(value).toReversed()
    return Object.fromEntries(entries.map(([key, inner]) => [key, turned(inner)]))
  }
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (value, other) => {
      expect(canonicalJson(turned(value))).toBe(canonicalJson(value))
      expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)))
      if (canonicalJson(value) === canonicalJson(other)) expect(value).toEqual(other)
    }),
  )
})

test('a key called __proto__ counts', () => {
  expect(canonicalJson(JSON.parse('{"__proto__":1}'))).toBe('{"__proto__":1}')
})
