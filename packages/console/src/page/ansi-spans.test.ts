import fc from 'fast-check'
import { expect, test } from 'vitest'

import { formatSgr, PLAIN_STYLE, type TextStyle } from '../text-style.js'
import { coloursOf } from './ansi-colours.js'
import { splitAnsi } from './ansi-spans.js'
import { stripControls } from './components/strip-controls.js'

const ESC = '\u001B'

test('splits at changes of the style', () => {
  expect(splitAnsi(`plain ${ESC}[1;31mred${ESC}[m after`)).toEqual([
    { text: 'plain ', style: PLAIN_STYLE },
    { text: 'red', style: { ...PLAIN_STYLE, isBold: true, foreground: 1 } },
    { text: ' after', style: PLAIN_STYLE },
  ])
  expect(splitAnsi('plain')).toEqual([{ text: 'plain', style: PLAIN_STYLE }])
  expect(splitAnsi('')).toEqual([])
  expect(splitAnsi(`${ESC}[31m${ESC}[m`)).toEqual([])
})

test('other sequences and control characters are not shown', () => {
  expect(splitAnsi(`a${ESC}[2Jb${ESC}c\u0007\u202Ed\n\te`)).toEqual([{ text: 'abcd\n\te', style: PLAIN_STYLE }])
})

const piece = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 10 }),
  fc.string({ unit: 'binary', maxLength: 10 }),
  fc.constantFrom('\n', ESC, `${ESC}[`, `${ESC}[31`, '\u009B31m', `${ESC}]0;x`),
  fc.array(fc.nat(300), { maxLength: 8 }).map((codes) => `${ESC}[${codes.join(';')}m`),
  fc.array(fc.nat(300), { maxLength: 8 }).map((codes) => `${ESC}[${codes.join(':')}m`),
)
const text = fc.array(piece, { maxLength: 80 }).map((pieces) => pieces.join(''))

// oxlint-disable-next-line no-control-regex -- sequences begin with ESC
const SEQUENCES = /\u001B\[[\d;:]{0,256}[A-Za-z]?/g

test('never throws, preserves the text, and gives legible colours', () => {
  fc.assert(
    fc.property(text, (input) => {
      const spans = splitAnsi(input)
      const pieces = input.split(SEQUENCES).map(stripControls)
      expect(spans.map((span) => span.text).join('')).toBe(pieces.join(''))
      for (const { style } of spans)
        for (const colour of Object.values(coloursOf(style))) expect(colour).toMatch(/^#[0-9a-f]{6}$/)
    }),
    { numRuns: 1000 },
  )
})

test('the number of spans is bounded, and no text is lost', () => {
  const rainbow = Array.from({ length: 10_000 }, (_, n) => `${ESC}[38;5;${n % 256}mx`).join('')
  const spans = splitAnsi(`${rainbow}${ESC}[m end`)
  expect(spans.length).toBeLessThanOrEqual(2000)
  expect(spans.map((span) => span.text).join('')).toBe(`${'x'.repeat(10_000)} end`)
})

function luminance(colour: string): number {
  const channels = [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16) / 255)
  const [red = 0, green = 0, blue = 0] = channels.map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

const hex = fc.nat(0xffffff).map((value) => `#${value.toString(16).padStart(6, '0')}`)
const colour = fc.oneof(fc.constant(null), fc.integer({ min: 0, max: 255 }), hex)
const style: fc.Arbitrary<TextStyle> = fc
  .record({ foreground: colour, background: colour, isDim: fc.boolean(), isInverse: fc.boolean() })
  .map((some) => ({ ...PLAIN_STYLE, ...some }))

test('no program can hide text: every colour has the contrast of WCAG 2 with its background', () => {
  fc.assert(
    fc.property(style, (shown) => {
      const { color = '#e8ebef', backgroundColor = '#101418' } = coloursOf(shown)
      const [low = 0, high = 0] = [luminance(color), luminance(backgroundColor)].sort((a, b) => a - b)
      expect((high + 0.05) / (low + 0.05)).toBeGreaterThanOrEqual(4.5)
    }),
    { numRuns: 2000 },
  )
})

test('colours are those of the palette where they are legible', () => {
  const of = (sgr: string) => coloursOf(splitAnsi(`${ESC}[${sgr}mx`)[0]?.style ?? PLAIN_STYLE)
  expect(of('38;5;46')).toEqual({ color: '#00ff00' })
  expect(of('38;5;250')).toEqual({ color: '#bcbcbc' })
  expect(of('30;47')).toEqual({ color: '#000000', backgroundColor: '#e5e5e5' })
  expect(of('7')).toEqual({ color: '#101418', backgroundColor: '#e8ebef' })
  expect(of('1')).toEqual({})
  expect(formatSgr(PLAIN_STYLE)).toBe('')
})
