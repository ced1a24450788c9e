import fc from 'fast-check'
import { expect, test } from 'vitest'

import { toSingleLine } from './format.js'

test('the result is a single line, short enough, well-formed, and stable', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 2, max: 20 }), (text, maxLength) => {
      const line = toSingleLine(text, maxLength)
      expect(line.length).toBeLessThanOrEqual(maxLength)
      expect(line.isWellFormed()).toBe(true)
      expect(line).not.toMatch(/[\p{Cc}\u2028\u2029]/u)
      expect(toSingleLine(line, maxLength)).toBe(line)
    }),
  )
})

test.each([
  ['a\tb\n\n c ', 10, 'a b c'],
  ['\x1b[31mred\x07', 10, '[31mred'],
  ['a\u202Edrow\u202C b', 10, 'adrow b'],
  ['\u202Etxt.exe\u202C \u2067x\u2069', 10, 'txt.exe x'],
  ['abcdef', 6, 'abcdef'],
  ['abcdefg', 6, 'abcde…'],
  ['abcd😀x', 6, 'abcd…'],
])('%j in %i', (text, maxLength, line) => {
  expect(toSingleLine(text, maxLength)).toBe(line)
})
