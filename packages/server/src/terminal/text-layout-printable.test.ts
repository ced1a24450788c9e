import fc from 'fast-check'
import { expect, test } from 'vitest'

import { toPrintableLines, toPrintableText } from './text-layout.js'

const HOSTILE = /[\p{Cc}\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069\p{Cs}]/u

test('removes all terminal controls, whatever the input', () => {
  const piece = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom(
      '\u001B[2J',
      '\u001B]0;title\u0007',
      '\u009B31m',
      '\u001BPx\u001B\\',
      '\r',
      '\u202E',
      '\uD800',
      '\t',
    ),
  )
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      for (const line of toPrintableLines(pieces.join(''))) expect(line).not.toMatch(HOSTILE)
      expect(toPrintableText(pieces.join('')).replaceAll(/[\n\t]/g, '')).not.toMatch(HOSTILE)
    }),
  )
})

test.each([
  ['indentation stays', '  a\n\tb', ['  a', '    b']],
  ['every kind of line end', 'a\r\nb\u2028c\u0085d', ['a', 'b', 'c', 'd']],
  ['colours go', '\u001B[31mred\u001B[0m', ['red']],
  ['a lone control character shows', 'a\u0008b\rc', ['a\u{FFFD}b\u{FFFD}c']],
  ['right-to-left letters stay', 'مرحبا \u202Eevil', ['مرحبا evil']],
  ['wide ones too', '안녕 👩‍💻', ['안녕 👩‍💻']],
])('%s', (_, text, lines) => {
  expect(toPrintableLines(text)).toEqual(lines)
})
