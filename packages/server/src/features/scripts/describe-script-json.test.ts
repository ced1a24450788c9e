import fc from 'fast-check'
import { expect, test } from 'vitest'

import { findJsonObject } from './describe-script.js'

test.each([
  ['{"a":1}', { a: 1 }],
  [' \n{"a":1}\n\n', { a: 1 }],
  ['{\n  "a": {\n  }\n}', { a: {} }],
  ['warning\n{"a":1}\nbye', { a: 1 }],
  ['{"a":1}\n{"a":2}', { a: 2 }],
  ['[1]', undefined],
  ['1', undefined],
  ['', undefined],
  ['{', undefined],
  ['}\n{', undefined],
  ['{"a":1', undefined],
])('%j', (text, value) => expect(findJsonObject(text)).toEqual(value))

test('finds the object whatever its formatting and the output around it', () => {
  const words = fc
    .array(fc.string({ unit: 'grapheme' }).filter((line) => !/[{}\r\n]/.test(line)))
    .map((lines) => lines.join('\n'))
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 })), fc.nat(4), words, (value, indent, noise) => {
      const text = JSON.stringify(value, undefined, indent)
      expect(findJsonObject(`${noise}\n${text}\n`)).toEqual(JSON.parse(text))
    }),
  )
})
