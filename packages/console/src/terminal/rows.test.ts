import fc from 'fast-check'
import { expect, test } from 'vitest'

import { textWidth } from '@scorpiox/server/text/column-width'
import { createStyleCode, indentAfter, renderRow, rowWidth, wrapAfter, wrapParts } from './rows.js'

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

test('rows after a lead are indented by its width', () => {
  expect(indentAfter([{ text: '한국', style: 'dim' }, ' '], [['a'], ['b'], []])).toEqual([
    [{ text: '한국', style: 'dim' }, ' ', 'a'],
    ['     ', 'b'],
    ['     '],
  ])
  expect(indentAfter(['- '], [])).toEqual([])
})

test('parts are never broken, and share a row as far as they fit', () => {
  expect(wrapParts([['one'], ['two'], ['three']], 8, '  ')).toEqual([['one', '  ', 'two'], ['three']])
  expect(wrapParts([['too long'], ['a']], 4, ' ')).toEqual([['too long'], ['a']])
  const parts = fc.array(fc.string({ minLength: 1, maxLength: 9 }).map((text) => [text] as const))
  fc.assert(
    fc.property(parts, fc.integer({ min: 9, max: 40 }), (all, columns) => {
      const rows = wrapParts(all, columns, '  ')
      for (const row of rows) expect(rowWidth(row)).toBeLessThanOrEqual(columns)
      expect(rows.flatMap((row) => row.filter((_, index) => index % 2 === 0))).toEqual(all.flat())
    }),
  )
})
