import fc from 'fast-check'
import { expect, test } from 'vitest'

import { cursorAt, fingerprintOf, readCursor } from './cursor.js'

test('what was written is read again, and is short', () => {
  fc.assert(
    fc.property(fc.nat({ max: 2 ** 40 }), fc.string(), fc.boolean(), (offset, content, isShort) => {
      const place = { offset, fingerprint: fingerprintOf(content), isShort }
      const cursor = cursorAt(place)
      expect(readCursor(` ${cursor}\n`)).toEqual(place)
      expect(cursor.length).toBeLessThanOrEqual(18)
    }),
  )
})

test.each(['', '.', '1', 'zz.123', '-1.00000000', '1.0000000g', '1.00000000.1', '9'.repeat(40), '__proto__.00000000'])(
  '%j is no cursor, and what to do is said',
  (cursor) => {
    expect(() => readCursor(cursor)).toThrow(/is no cursor of ReadDocs: give the one/)
  },
)
