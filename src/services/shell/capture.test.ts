import fc from 'fast-check'
import { expect, test } from 'vitest'

import { createCapture } from './capture.js'

function capture(chunks: readonly Buffer[], maxBytes: number) {
  const kept = createCapture(maxBytes)
  for (const chunk of chunks) kept.add(chunk)
  return kept.take()
}

test('what fits is whole', () => {
  expect(capture([Buffer.from('ab'), Buffer.from('cd')], 4)).toEqual({ text: 'abcd', omittedBytes: 0 })
})

test('of what does not fit the head and the tail are kept, and the gap is counted', () => {
  expect(capture([Buffer.from('0123456789'.repeat(10))], 10)).toEqual({
    text: '01234\n[90 bytes left out here]\n56789',
    omittedBytes: 90,
  })
})

test('no character is broken, and every byte is either shown or counted', () => {
  const text = fc.string({ unit: 'grapheme', maxLength: 80 })
  fc.assert(
    fc.property(
      text,
      fc.integer({ min: 2, max: 40 }),
      fc.array(fc.nat(100), { maxLength: 6 }),
      (whole, maxBytes, cuts) => {
        const bytes = Buffer.from(whole)
        const places = [...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort((a, b) => a - b)
        const { text: shown, omittedBytes } = capture(
          places.map((end, index) => bytes.subarray(places[index - 1] ?? 0, end)),
          maxBytes,
        )
        if (bytes.length <= maxBytes) {
          expect(shown).toBe(bytes.toString())
          return
        }
        const visible = shown.replace(`\n[${omittedBytes} bytes left out here]\n`, '')
        expect(Buffer.byteLength(visible) + omittedBytes).toBe(bytes.length)
        expect(Buffer.byteLength(visible)).toBeLessThanOrEqual(maxBytes)
      },
    ),
    { numRuns: 2000 },
  )
})
