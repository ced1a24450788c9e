import fc from 'fast-check'
import { expect, test } from 'vitest'

import { fitColumns, widthOf, wrapColumns } from './fit-columns.js'

const words = fc.string({ unit: fc.constantFrom('a', ' ', '한', '👍', 'e\u0301', 'ب', '\u200D') })

test('truncated text fits, and text that fits is not truncated', () => {
  fc.assert(
    fc.property(words, fc.integer({ min: 2, max: 30 }), (text, columns) => {
      const fitted = fitColumns(text, columns)
      expect(widthOf(fitted)).toBeLessThanOrEqual(columns)
      if (widthOf(text) <= columns) expect(fitted).toBe(text)
      else expect(text.startsWith(fitted.slice(0, -1))).toBe(true)
    }),
  )
})

test('wrapped lines fit and lose only the spaces at breaks', () => {
  fc.assert(
    fc.property(words, fc.integer({ min: 2, max: 30 }), (text, columns) => {
      const lines = wrapColumns(text, columns)
      for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(columns)
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
  expect(fitColumns(text, columns)).toBe(fitted)
})

test('breaks lines between words where possible', () => {
  expect(wrapColumns('one two three', 8)).toEqual(['one two', 'three'])
  expect(wrapColumns('abcdefghij', 4)).toEqual(['abcd', 'efgh', 'ij'])
  expect(wrapColumns('', 4)).toEqual([''])
})
