import fc from 'fast-check'
import { expect, test } from 'vitest'

import { contentFingerprint, decodeCursor, encodeCursor } from './cursor.js'

test('an encoded cursor decodes to the same position and is short', () => {
  fc.assert(
    fc.property(fc.nat({ max: 2 ** 40 }), fc.string(), fc.boolean(), (offset, content, isShort) => {
      const position = { offset, fingerprint: contentFingerprint(content), isShort }
      const cursor = encodeCursor(position)
      expect(decodeCursor(` ${cursor}\n`)).toEqual(position)
      expect(cursor.length).toBeLessThanOrEqual(18)
    }),
  )
})

test.each(['', '.', '1', 'zz.123', '-1.00000000', '1.0000000g', '1.00000000.1', '9'.repeat(40), '__proto__.00000000'])(
  'rejects %j and says what to use instead',
  (cursor) => {
    expect(() => decodeCursor(cursor)).toThrow(/is not a ReadDocs cursor: use the one/)
  },
)
