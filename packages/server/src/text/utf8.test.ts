import { isUtf8 } from 'node:buffer'

import fc from 'fast-check'
import { expect, test } from 'vitest'

import { codePointAt, incompleteTailLength, sequenceLength, validSequenceLength } from './utf8.js'

const bytes = fc.uint8Array({ minLength: 1, maxLength: 8 }).map((some) => Buffer.from(some))

test('an incomplete tail is what TextDecoder holds back', () => {
  fc.assert(
    fc.property(bytes, (some) => {
      const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
      const whole = some.subarray(0, some.length - incompleteTailLength(some))
      const decoded = decoder.decode(some, { stream: true })
      expect(decoded).toBe(new TextDecoder('utf-8', { ignoreBOM: true }).decode(whole))
    }),
    { numRuns: 5000 },
  )
})

test('accepts the sequences that Node.js accepts', () => {
  fc.assert(
    fc.property(bytes, (some) => {
      const length = validSequenceLength(some, 0)
      expect(length > 0).toBe([1, 2, 3, 4].some((end) => end <= some.length && isUtf8(some.subarray(0, end))))
    }),
    { numRuns: 5000 },
  )
})

test('decodes the same code points as strings', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 5 }), (text) => {
      const some = Buffer.from(text.toWellFormed())
      const read: number[] = []
      for (let at = 0; at < some.length; at += sequenceLength(some[at]!)) read.push(codePointAt(some, at))
      expect(String.fromCodePoint(...read)).toBe(text.toWellFormed())
    }),
  )
})
