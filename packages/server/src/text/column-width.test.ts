import fc from 'fast-check'
import { expect, test } from 'vitest'

import { textWidth, truncateToWidth, wrapToWidth } from './column-width.js'

const words = fc.string({ unit: fc.constantFrom('a', ' ', '한', '👍', 'e\u0301', 'ب', '\u200D') })

test('truncated text fits, and text that fits is not truncated', () => {
  fc.assert(
    fc.property(words, fc.integer({ min: 2, max: 30 }), (text, columns) => {
      const fitted = truncateToWidth(text, columns)
      expect(textWidth(fitted)).toBeLessThanOrEqual(columns)
      if (textWidth(text) <= columns) expect(fitted).toBe(text)
      else expect(text.startsWith(fitted.slice(0, -1))).toBe(true)
    }),
  )
})

test('wrapped lines fit and lose only the spaces at breaks', () => {
  fc.assert(
    fc.property(words, fc.integer({ min: 2, max: 30 }), (text, columns) => {
      const lines = wrapToWidth(text, columns)
      for (const line of lines) expect(textWidth(line)).toBeLessThanOrEqual(columns)
      expect(lines.join('').replaceAll(' ', '')).toBe(text.replaceAll(' ', ''))
    }),
  )
})

test.each([
  ['한국어 text', 7, '한국어…'],
  ['한국어', 6, '한국어'],
  ['한국어', 4, '한…'],
  ['plain', 5, 'plain'],
])('%s in %i columns', (text, columns, fitted) => {
  expect(truncateToWidth(text, columns)).toBe(fitted)
})

test('breaks lines between words where possible', () => {
  expect(wrapToWidth('one two three', 8)).toEqual(['one two', 'three'])
  expect(wrapToWidth('abcdefghij', 4)).toEqual(['abcd', 'efgh', 'ij'])
  expect(wrapToWidth('', 4)).toEqual([''])
})
