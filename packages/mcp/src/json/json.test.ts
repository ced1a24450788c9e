import fc from 'fast-check'
import { expect, test } from 'vitest'

import { startCpuClock } from '../../../../test/support/load.js'
import { stringifyWellFormed } from './json.js'

const units = fc.array(fc.oneof(fc.constantFrom(0xd800, 0xdfff, 0x5c, 0x75, 0x64, 0x38, 0x30, 0x22), fc.nat(0xffff)))
const text = units.map((codes) => String.fromCharCode(...codes))

test('replaces lone surrogates and nothing else', () => {
  fc.assert(
    fc.property(text, text, (key, value) => {
      expect(JSON.parse(stringifyWellFormed({ [`k${key}`]: [value] }))).toEqual({
        [`k${key}`.toWellFormed()]: [value.toWellFormed()],
      })
    }),
    { numRuns: 2000 },
  )
})

test.each(['\\ud800', '\\\\ud800', '\\\\\\ud800', '\u{1f600}', '\ud83d', '\ude00', '\\\ud83d'])('%j', (value) => {
  expect(JSON.parse(stringifyWellFormed([value]))).toEqual([value.toWellFormed()])
})

test('takes linear time on many backslashes', () => {
  const cpuMs = startCpuClock()
  stringifyWellFormed(['\\'.repeat(1_000_000), '\ud800'])
  expect(cpuMs()).toBeLessThan(10_000)
})
