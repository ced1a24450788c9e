import { Buffer } from 'node:buffer'

import fc from 'fast-check'
import { expect, test } from 'vitest'

import { storableText } from './storable-text.js'

const anything = fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)) })

test('the result survives UTF-8, contains no NUL, and keeps its length', () => {
  fc.assert(
    fc.property(anything, (text) => {
      const stored = storableText(text)
      expect(Buffer.from(stored, 'utf8').toString('utf8')).toBe(stored)
      expect(stored).not.toContain('\0')
      expect(stored).toHaveLength(text.length)
      expect(storableText(stored)).toBe(stored)
    }),
  )
})
