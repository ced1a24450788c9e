import { Buffer } from 'node:buffer'

import fc from 'fast-check'
import { expect, test } from 'vitest'

import { toStorableText } from './normalize-text.js'

const anything = fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)) })

test('the result survives UTF-8, contains no NUL, and keeps its length', () => {
  fc.assert(
    fc.property(anything, (text) => {
      const stored = toStorableText(text)
      expect(Buffer.from(stored, 'utf8').toString('utf8')).toBe(stored)
      expect(stored).not.toContain('\0')
      expect(stored).toHaveLength(text.length)
      expect(toStorableText(stored)).toBe(stored)
    }),
  )
})
