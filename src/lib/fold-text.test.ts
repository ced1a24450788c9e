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

test.each(same)('%s and %s are the same to a search', (one, other) => {
  expect(foldText(one)).toBe(foldText(other))
})

const different = [
  ['か', 'が'],
  ['किताब', 'कताब'],
  ['한', '하'],
  ['ไม้', 'ไม'],
  ['数', '据'],
]

test.each(different)('%s and %s are not', (one, other) => {
  expect(foldText(one)).not.toBe(foldText(other))
  expect(foldText(one)).not.toContain(foldText(`${other}x`))
})

test('a syllable is found whole, not by its parts', () => {
  expect(foldText('한국어')).toContain(foldText('한국'))
  expect(foldText('한국어')).not.toContain(foldText('하'))
})

test('folding twice changes nothing, and the case of a text never matters', () => {
  const text = fc.string({ unit: 'binary' })
  fc.assert(
    fc.property(text, (given) => {
      const folded = foldText(given)
      expect(foldText(folded)).toBe(folded)
      expect(foldText(given.toLowerCase())).toBe(folded)
      expect(foldText(given.normalize('NFD'))).toBe(folded)
    }),
    { numRuns: 5000 },
  )
})
