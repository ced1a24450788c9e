import fc from 'fast-check'
import { expect, test } from 'vitest'

import { foldForSearch } from './normalize-text.js'

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
  expect(foldForSearch(one)).toBe(foldForSearch(other))
})

const different = [
  ['か', 'が'],
  ['किताब', 'कताब'],
  ['한', '하'],
  ['ไม้', 'ไม'],
  ['数', '据'],
]

test.each(different)('%s and %s fold to different texts', (one, other) => {
  expect(foldForSearch(one)).not.toBe(foldForSearch(other))
  expect(foldForSearch(one)).not.toContain(foldForSearch(`${other}x`))
})

test('finds a syllable as a whole, not by its parts', () => {
  expect(foldForSearch('한국어')).toContain(foldForSearch('한국'))
  expect(foldForSearch('한국어')).not.toContain(foldForSearch('하'))
})

test('folding is stable and ignores case', () => {
  const text = fc.string({ unit: 'binary' })
  fc.assert(
    fc.property(text, (input) => {
      const folded = foldForSearch(input)
      expect(foldForSearch(folded)).toBe(folded)
      expect(foldForSearch(input.toLowerCase())).toBe(folded)
      expect(foldForSearch(input.normalize('NFD'))).toBe(folded)
    }),
    { numRuns: 5000 },
  )
})
