import fc from 'fast-check'
import { expect, test } from 'vitest'

import { textWidth } from '@scorpiox/server/text/column-width'
import { createStyleCode, renderRow, wrapAfter } from './rows.js'

const PLAIN = { styleCode: () => '' }

test('a row has exactly the width of its area, and no control character of others', () => {
  const text = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.constantFrom('한국어', 'العربية', '\u001B[2J', 'a\tb', '\u202Ex'),
  )
  fc.assert(
    fc.property(fc.array(text, { maxLength: 4 }), fc.integer({ min: 1, max: 30 }), (parts, columns) => {
      const row = renderRow(parts, columns, PLAIN)
      expect(textWidth(row)).toBe(columns)
      expect(row).not.toMatch(/[\p{Cc}\u202E]/u)
    }),
  )
})

test('without colours, bold, dim and the selection remain', () => {
  const row = [{ text: 'a', style: 'bad' }, { text: 'b', style: 'bold' }, 'c'] as const
  expect(renderRow(row, 4, { styleCode: createStyleCode(true) })).toBe('\u001B[31ma\u001B[0m\u001B[1mb\u001B[0mc ')
  expect(renderRow(row, 4, { styleCode: createStyleCode(false) })).toBe('a\u001B[1mb\u001B[0mc ')
  expect(renderRow(row, 4, { styleCode: createStyleCode(false), isInverse: true })).toBe('\u001B[7mabc \u001B[0m')
})

test('wrapped rows are indented below the first', () => {
  expect(wrapAfter('- ', 'one two', 6)).toEqual([
    ['- ', 'one'],
    ['  ', 'two'],
  ])
})
