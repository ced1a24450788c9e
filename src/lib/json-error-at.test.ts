import fc from 'fast-check'
import { expect, test } from 'vitest'

import { jsonErrorAt } from './json-error-at.js'

test.each([
  ['{"a":1,}', 7],
  ['hello', 0],
  ['{"a" 1}', 5],
  ['{"a":1} x', 8],
  ['[1,2', 4],
  ['', 0],
  ["{'a':1}", 1],
  ['{"a":tru}', 8],
  ['["a\nb"]', 3],
])('%j stops being JSON at %i', (text, at) => {
  expect(jsonErrorAt(text)).toBe(at)
})

test('a character that never stands in JSON is found wherever it is put between two tokens', () => {
  fc.assert(
    fc.property(fc.json(), fc.nat(), (json, seed) => {
      const text = JSON.stringify([JSON.parse(json), 1])
      const gaps = [0, 1, text.length - 1, text.length]
      const at = gaps[seed % gaps.length] ?? 0
      expect(jsonErrorAt(`${text.slice(0, at)}\u0007${text.slice(at)}`)).toBe(at)
    }),
  )
})

test('what is cut off ends too early', () => {
  fc.assert(
    fc.property(fc.json(), fc.nat(), (json, seed) => {
      const text = JSON.stringify([JSON.parse(json)])
      const cut = text.slice(0, seed % text.length)
      expect(jsonErrorAt(cut)).toBe(cut.length)
    }),
  )
})
