import fc from 'fast-check'
import { expect, test } from 'vitest'

import { createUtf16Decoder, detectByteOrder } from './utf16-decoder.js'

test.each([
  [[], undefined],
  [[0xff], undefined],
  [[0xfe], undefined],
  [[0xff, 0xfe], 'utf-16le'],
  [[0xfe, 0xff, 0], 'utf-16be'],
  [[0xff, 0xd8], 'none'],
  [[0x61], 'none'],
])('the byte order of %j is %s', (bytes, order) => {
  expect(detectByteOrder(Buffer.from(bytes))).toBe(order)
})

test('the text does not depend on chunk boundaries, in both byte orders', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.boolean(), fc.integer({ min: 1, max: 5 }), (text, little, size) => {
      const bytes = Buffer.from(`\ufeff${text}`, 'utf16le')
      if (!little) bytes.swap16()
      const reader = createUtf16Decoder(little ? 'utf-16le' : 'utf-16be')
      const read: Buffer[] = []
      for (let at = 0; at < bytes.length; at += size) read.push(reader.decode(bytes.subarray(at, at + size)))
      expect(Buffer.concat(read).toString()).toBe(text)
      expect(reader.pendingBytes()).toBe(0)
    }),
  )
})
