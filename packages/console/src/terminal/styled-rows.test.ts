import fc from 'fast-check'
import { expect, test } from 'vitest'

import { textWidth } from '@scorpiox/server/text/column-width'
import { createStyleCode, renderRow, rowText, wrapText } from './rows.js'
import { toStyledRows } from './styled-rows.js'

const ESC = '\u001B'

test('rows have the styles of the line, also where it is wrapped', () => {
  const { rows } = toStyledRows(`a ${ESC}[31mred line${ESC}[m end`, { columns: 6, isWrapped: true })
  expect(rows.map(rowText)).toEqual(['a red', 'line', 'end'])
  const drawn = rows.map((row) => renderRow(row, 6, { styleCode: createStyleCode(true) }))
  expect(drawn).toEqual([`a ${ESC}[31mred${ESC}[0m `, `${ESC}[31mline${ESC}[0m  `, 'end   '])
  const plain = rows.map((row) => renderRow(row, 6, { styleCode: createStyleCode(false) }))
  expect(plain).toEqual(['a red ', 'line  ', 'end   '])
})

test('text that its colours would hide is shown, and no other sequence passes', () => {
  const line = `${ESC}[31;41mhidden${ESC}[m ${ESC}]0;title\u0007 ${ESC}[2J\u202Eend`
  const { rows } = toStyledRows(line, { columns: 80, isWrapped: true })
  const drawn = rows.map((row) => renderRow(row, 30, { styleCode: createStyleCode(true) })).join('')
  expect(drawn).not.toContain(ESC)
  expect(drawn).toContain('hidden')
  expect(drawn).not.toContain('\u202E')
})

test('the row with what was found is known, and is in sight in a line that is cut', () => {
  const line = `${'x '.repeat(40)}needle end`
  const marked = { from: 80, to: 86 }
  const wrapped = toStyledRows(line, { columns: 20, isWrapped: true, marked })
  expect(rowText(wrapped.rows[wrapped.markedRow] ?? [])).toContain('needle')
  const cut = toStyledRows(line, { columns: 20, isWrapped: false, marked })
  expect(cut.rows.map(rowText)).toEqual(['…x x x x x needle end'])
})

test('plain lines are wrapped as all other text', () => {
  const words = fc.array(fc.constantFrom('word', 'a', ' ', '  ', '한국어', 'long-word-without-end'), { maxLength: 20 })
  fc.assert(
    fc.property(words, fc.integer({ min: 2, max: 30 }), (parts, columns) => {
      const line = parts.join(' ').trimEnd()
      const { rows } = toStyledRows(line, { columns, isWrapped: true })
      expect(rows.map(rowText)).toEqual(wrapText(line, columns).map(rowText))
      for (const row of rows) expect(textWidth(rowText(row))).toBeLessThanOrEqual(columns)
    }),
  )
})
