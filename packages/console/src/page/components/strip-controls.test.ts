import fc from 'fast-check'
import { expect, test } from 'vitest'

import { stripControls } from './strip-controls.js'

test('removes bidirectional characters and keeps readable ones', () => {
  expect(stripControls('\u202Egnp.exe\u202C\u001B[31m\n\tنعم 한국어 \u2066x\u2069\u0085')).toBe(
    'gnp.exe[31m\n\tنعم 한국어 x',
  )
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(stripControls(text).replaceAll(/[\n\t]/g, '')).not.toMatch(/[\p{Cc}\u202A-\u202E\u2066-\u2069]/u)
    }),
  )
})
