import fc from 'fast-check'
import { expect, test } from 'vitest'

import { foldText } from './fold-text.js'

const same = [
  ['Café', 'CAFE'],
  ['Überprüfung', 'uberprufung'],
  ['Straße', 'STRASSE'],
  ['STRAẞE', 'strasse'],
  ['ΟΔΟΣ', 'οδός'],
  ['İstanbul', 'istanbul'],
  ['ısı', 'ISI'],
  ['Ёлка', 'елка'],
  ['مَرْحَبًا', 'مرحبا'],
  ['שָׁלוֹם', 'שלום'],
  ['ﬁle', 'FILE'],
  ['ＡＢＣ', 'abc'],
  ['❤️', '❤'],
]

test.each(same)('%s and %s fold to the same text', (one, other) => {
  expect(foldText(one)).toBe(foldText(other))
})

const different = [
  ['か', 'が'],
  ['किताब', 'कताब'],
  ['한', '하'],
  ['ไม้', 'ไม'],
  ['数', '据'],
]

test.each(different)('%s and %s fold to different texts', (one, other) => {
  expect(foldText(one)).not.toBe(foldText(other))
  expect(foldText(one)).not.toContain(foldText(`${other}x`))
})

test('finds a syllable as a whole, not by its parts', () => {
  expect(foldText('한국어')).toContain(foldText('한국'))
  expect(foldText('한국어')).not.toContain(foldText('하'))
})

test('folding is stable and ignores case', () => {
  const text = fc.string({ unit: 'binary' })
  fc.assert(
    fc.property(text, (input) => {
      const folded = foldText(input)
      expect(foldText(folded)).toBe(folded)
      expect(foldText(input.toLowerCase())).toBe(folded)
      expect(foldText(input.normalize('NFD'))).toBe(folded)
    }),
    { numRuns: 5000 },
  )
})
