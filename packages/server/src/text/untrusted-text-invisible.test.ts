import fc from 'fast-check'
import { expect, test } from 'vitest'

import { removeInvisible as visible, removeNoncharacters } from './untrusted-text.js'

const visibleText = (text: string): string => visible(removeNoncharacters(text))

const JOINERS = ['\u200C', '\u200D']
const SELECTORS = ['\uFE0E', '\uFE0F']
const HIDDEN = [
  '\u0000', '\u001B', '\u007F', '\u009B', '\u00AD', '\u034F', '\u061C', '\u115F', '\u180E', '\u200B', '\u200E', '\u202E',
  '\u2060', '\u2064', '\u2066', '\u2069', '\u3164', '\uFEFF', '\uFFA0', '\uFFF9', '\uFE00', '\u{E0001}', '\u{E0041}',
  '\u{E007F}', '\u{E0100}', '\u{1D173}', '\uFDD0', '\u{1FFFE}',
] // prettier-ignore
const VISIBLE = [
  'a',
  'Z',
  'é',
  '7',
  ' ',
  '\n',
  '\t',
  '中',
  'か',
  '한',
  'ש',
  'ا',
  'ی',
  'क',
  '्',
  '👩',
  '🚀',
  '❤',
  '🏽',
  '-',
]

const ANYTHING = fc
  .array(fc.integer({ min: 0, max: 0x10_ff_ff }), { maxLength: 30 })
  .map((points) => String.fromCodePoint(...points))

const texts = fc.array(fc.constantFrom(...VISIBLE, ...HIDDEN, ...JOINERS, ...SELECTORS, '\r', '\u2028', '\uD83D'), {
  maxLength: 40,
})

test('removes every hidden character and keeps every visible one', () => {
  fc.assert(
    fc.property(texts, (parts) => {
      const text = parts.join('')
      const seen = visibleText(text)
      for (const sign of HIDDEN) expect(seen).not.toContain(sign)
      const shown = (from: string) =>
        from
          .toWellFormed()
          .replace(/[\r\n\u2028]/g, '')
          .replace(/\u200C|\u200D|\uFE0E|\uFE0F/g, '')
      expect(shown(seen)).toBe(shown(parts.filter((part) => !HIDDEN.includes(part)).join('')))
    }),
  )
})

test('applying it twice changes nothing', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        texts.map((parts) => parts.join('')),
        ANYTHING,
      ),
      (text) => {
        const once = visibleText(text)
        expect(visibleText(once)).toBe(once)
      },
    ),
  )
})

test('removes joiners and selectors between plain letters', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom('h', '7', '中', ' ', ...JOINERS, '\uFE0F\uFE0E'), { maxLength: 30 }),
      (parts) => {
        const seen = visibleText(parts.join(''))
        expect(seen).not.toMatch(/[\u200C\u200D]/)
        expect(seen).not.toMatch(/[\uFE0E\uFE0F]{2}/)
      },
    ),
  )
})

test.each([
  ['a family', '👩‍👩‍👧‍👦'],
  ['a heart on fire', '❤️‍🔥'],
  ['a runner', '🏃🏽‍♀️'],
  ['Persian', 'می‌خواهم'],
  ['Hindi', 'क्‍ष'],
  ['accents', 'e\u0301 ñ'],
])('keeps %s unchanged', (_, text) => {
  expect(visibleText(text)).toBe(text)
})
