import fc from 'fast-check'
import { expect, test } from 'vitest'

import { measureText, removeReturns } from './split-rows.js'

test('measures plain text as strings do, at any memory alignment', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '\n', '\t', 'é', '日', '👍'), maxLength: 200 })
  fc.assert(
    fc.property(text, fc.nat(7), (some, offset) => {
      const bytes = Buffer.from(`${'x'.repeat(offset)}${some}`).subarray(offset)
      const expected = { characters: some.length, lines: some.split('\n').length - 1 }
      expect(measureText(bytes)).toEqual({ isPlain: true, hasReturns: false, ...expected })
    }),
    { numRuns: 2000 },
  )
})

test('finds a single control byte at any position', () => {
  const odd = fc.constantFrom(0, 7, 8, 0x0b, 0x0d, 0x1b, 0x1f, 0x7f, 0x80, 0xff)
  fc.assert(
    fc.property(fc.nat(300), fc.nat(300), odd, (before, after, byte) => {
      const bytes = Buffer.from([...Buffer.alloc(before, 'ab\n'), byte, ...Buffer.alloc(after, 'c\td')])
      expect(measureText(bytes).isPlain).toBe(false)
    }),
    { numRuns: 2000 },
  )
  expect(measureText(Buffer.from('a\u0085b')).isPlain).toBe(false)
  expect(measureText(Buffer.from('a\u00a0b')).isPlain).toBe(true)
})

test('measures the lines of a terminal, and removes their carriage returns', () => {
  const text = fc.string({ unit: fc.constantFrom('a', '\n', '\r\n', '\t', 'é', '👍'), maxLength: 200 })
  fc.assert(
    fc.property(text, fc.nat(7), (some, offset) => {
      const bytes = Buffer.from(`${'x'.repeat(offset)}${some}`).subarray(offset)
      const measured = measureText(bytes)
      const plain = Buffer.from(some.replaceAll('\r', ''))
      expect(measured).toEqual({ ...measureText(Buffer.from(some)), isPlain: !some.includes('\r') })
      expect(measured.hasReturns).toBe(some.includes('\r'))
      if (measured.hasReturns) expect(removeReturns(bytes, measured)).toEqual([plain, measureText(plain)])
    }),
    { numRuns: 2000 },
  )
  const lone = ['a\r', '\r', 'a\rb\r\n', '\r\r\n', `${'a'.repeat(100)}\r`]
  expect(lone.map((one) => measureText(Buffer.from(one)).hasReturns)).toEqual(lone.map(() => false))
})
