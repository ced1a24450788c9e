import fc from 'fast-check'
import { expect, test } from 'vitest'

import { countValues, isDeeperThan } from './json-scan.js'

/** Reference implementation: one character at a time, with strings and escapes. */
function depthOf(text: string): number {
  let depth = 0
  let deepest = 0
  let inString = false
  for (let at = 0; at < text.length; at++) {
    const char = text.charAt(at)
    if (inString) {
      if (char === '\\') at++
      else if (char === '"') inString = false
    } else if (char === '"') inString = true
    else if (char === '[' || char === '{') deepest = Math.max(deepest, ++depth)
    else if (char === ']' || char === '}') depth--
  }
  return deepest
}

test('agrees with a slow implementation on any text', () => {
  const pieces = fc.constantFrom(
    '[',
    ']',
    '{',
    '}',
    '"',
    '\\',
    '\\"',
    ',',
    ':',
    'x',
    '☃',
    'long text that goes on and on ',
    '[[[',
  )
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 60 }), fc.nat(8), (parts, limit) => {
      const text = parts.join('')
      expect(isDeeperThan(limit, text)).toBe(depthOf(text) > limit)
    }),
    { numRuns: 5000 },
  )
})

test('agrees on real JSON', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 8 }), fc.nat(10), (text, limit) => {
      expect(isDeeperThan(limit, text)).toBe(depthOf(text) > limit)
    }),
  )
})

/** Reference implementation: every value of the parsed text. */
function valuesOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1
  return Object.values(value).reduce((sum: number, inner) => sum + valuesOf(inner), 1)
}

test('counts no fewer values than there are, and at most twice as many', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), fc.constantFrom(undefined, 2), (value, space) => {
      const counted = countValues(JSON.stringify(value, null, space), 64, 1e6)
      expect(counted).toBeGreaterThanOrEqual(valuesOf(value))
      expect(counted).toBeLessThanOrEqual(2 * valuesOf(value))
    }),
  )
})

test('stops at the limits', () => {
  expect(countValues('[1,2,3]', 64, 4)).toBe(4)
  expect(countValues('[1,2,3]', 64, 3)).toBe(Infinity)
  expect(countValues('[[1]]', 1, 100)).toBe(-1)
  expect(countValues(`["${'{},'.repeat(1e6)}"]`, 64, 10)).toBe(2)
  expect(countValues(`[1${' '.repeat(5_000_000)}]`, 64, 10)).toBe(Infinity)
})
