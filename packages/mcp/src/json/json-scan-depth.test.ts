import fc from 'fast-check'
import { expect, test } from 'vitest'

import { isDeeperThan } from './json-scan.js'

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
