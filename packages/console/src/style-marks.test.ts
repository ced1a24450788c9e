import fc from 'fast-check'
import { expect, test } from 'vitest'

import { createTerminalRenderer } from '@scorpiox/server/text/terminal/terminal-renderer'
import { createStyleMarks } from './style-marks.js'
import { applySgr, formatSgr, PLAIN_STYLE, type TextStyle } from './text-style.js'

function render(chunks: readonly (string | Buffer)[]): string {
  const marks = createStyleMarks()
  const texts: Buffer[] = []
  const screen = createTerminalRenderer((text) => void texts.push(Buffer.from(text)))
  for (const chunk of chunks) screen.write(marks.mark(Buffer.from(chunk)))
  screen.write(marks.end())
  screen.end()
  return marks.toSgr(Buffer.concat(texts).toString(), true)
}

function renderPlain(chunks: readonly (string | Buffer)[]): string {
  const texts: Buffer[] = []
  const screen = createTerminalRenderer((text) => void texts.push(Buffer.from(text)))
  for (const chunk of chunks) screen.write(Buffer.from(chunk))
  screen.end()
  return Buffer.concat(texts).toString()
}

// oxlint-disable-next-line no-control-regex -- sequences begin with ESC
const ANY_SGR = /\u001B\[[\d;]*m/g

test.each([
  ['\u001B[31mred\u001B[0m plain\n', '\u001B[31mred\u001B[m plain\n'],
  ['\u001B[1;38;5;208mbold\u001B[22m not\n', '\u001B[1;38;5;208mbold\u001B[m\u001B[38;5;208m not\u001B[m\n'],
  ['\u001B[38;2;1;2;3mtrue\u001B[m', '\u001B[38;2;1;2;3mtrue\u001B[m'],
  ['\u001B[38:2::1:2:3mtrue\u001B[m', '\u001B[38;2;1;2;3mtrue\u001B[m'],
  ['\u001B[32mtwo\nlines\u001B[m', '\u001B[32mtwo\u001B[m\n\u001B[32mlines\u001B[m'],
  ['\u001B[32m 10%\r 99%\u001B[m\n', '\u001B[32m 99%\u001B[m\n'],
  ['\u001B[32mold\u001B[m\r\u001B[Knew\n', 'new\n'],
  ['\u001B[41mred\u001B[mplain\b\b\b\b\bPL\n', '\u001B[41mred\u001B[mPLain\n'],
  ['\u001B[33me\u0301x\u001B[m', '\u001B[33me\u0301x\u001B[m'],
  ['\u001B[33m한\u001B[34m글\u001B[m', '\u001B[33m한\u001B[m\u001B[34m글\u001B[m'],
  ['\u001B]0;title\u0007\u001B[31mred\u001B[m', '\u001B[31mred\u001B[m'],
  ['\u001B[31m\u001B]8;;http://evil\u001B\\link\u001B]8;;\u001B\\\u001B[m', '\u001B[31mlink\u001B[m'],
  ['\u001B[31m\u001B[2Jx\u001B[6n\u001B[?1049h', '\u001B[31mx\u001B[m'],
  ['plain \u{E0100}text', 'plain text'],
])('%j is shown as %j', (output, expected) => {
  expect(render([output])).toBe(expected)
})

const piece = fc.oneof(
  fc.constantFrom(
    '\n',
    '\r',
    '\t',
    '\b',
    ' ',
    '\u001B',
    '\u001B[',
    '\u001B]0;x',
    '\u0007',
    '\u001B\\',
    '\u{E0100}',
    '\u{E01EF}',
  ),
  fc.constantFrom(
    '\u001B[K',
    '\u001B[2K',
    '\u001B[1A',
    '\u001B[3D',
    '\u001B[2C',
    '\u001B[J',
    '\u001B(0',
    '\u001B(B',
    '\u001B[?1049h',
    '\u001B[?1049l',
  ),
  fc.array(fc.integer({ min: 0, max: 110 }), { maxLength: 6 }).map((codes) => `\u001B[${codes.join(';')}m`),
  fc.string({ unit: 'grapheme', maxLength: 12 }),
  fc.string({ unit: 'binary', maxLength: 4 }),
)
const output = fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join(''))

/** Spaces with a style stay at the end of a line, also of a line without anything else, which is not left out then. */
function withoutTrailingSpaces(text: string): string {
  return text
    .replaceAll(/[ \t]+$/gm, '')
    .replaceAll(/\n{2,}/g, '\n')
    .replaceAll(/^\n|\n$/g, '')
}

test('the text is that of the plain rendering, and only SGR survives', () => {
  fc.assert(
    fc.property(output, (text) => {
      const shown = render([text]).replaceAll(ANY_SGR, '')
      const plain = renderPlain([text.replaceAll(/[\u{E0100}-\u{E01EF}]/gu, '')])
      expect(withoutTrailingSpaces(shown)).toBe(withoutTrailingSpaces(plain))
      expect(shown).not.toContain('\u001B')
    }),
    { numRuns: 5000 },
  )
})

test('chunk boundaries do not matter', () => {
  fc.assert(
    fc.property(output, fc.array(fc.nat(200), { maxLength: 5 }), (text, cuts) => {
      const bytes = Buffer.from(text)
      const at = [0, ...cuts.map((cut) => Math.min(cut, bytes.length)).sort((a, b) => a - b), bytes.length]
      const chunks = at.slice(1).map((end, index) => bytes.subarray(at[index], end))
      expect(render(chunks)).toBe(render([bytes]))
    }),
    { numRuns: 300 },
  )
})

test('every line is complete: styles never reach over its end', () => {
  fc.assert(
    fc.property(output, (text) => {
      for (const line of render([text]).split('\n')) {
        const sequences = line.match(ANY_SGR) ?? []
        if (sequences.length > 0) expect(sequences.at(-1)).toBe('\u001B[m')
      }
    }),
  )
})

const colour = fc.oneof(fc.constant(null), fc.integer({ min: 0, max: 255 }), fc.constantFrom('#000000', '#0a80ff'))
const style: fc.Arbitrary<TextStyle> = fc.record({
  foreground: colour,
  background: colour,
  isBold: fc.boolean(),
  isDim: fc.boolean(),
  isItalic: fc.boolean(),
  isUnderlined: fc.boolean(),
  isStruck: fc.boolean(),
  isInverse: fc.boolean(),
})

test('the sequence of a style sets it', () => {
  fc.assert(
    fc.property(style, (wanted) => {
      expect(applySgr(PLAIN_STYLE, formatSgr(wanted).slice(2, -1))).toEqual(wanted)
    }),
  )
})

test('no parameters make it throw, and all styles are valid', () => {
  fc.assert(
    fc.property(fc.string(), style, (parameters, before) => {
      const changed = applySgr(before, parameters)
      expect(applySgr(PLAIN_STYLE, formatSgr(changed).slice(2, -1))).toEqual(changed)
    }),
  )
})

test('the number of styles and of changes is bounded', () => {
  const rainbow = Array.from({ length: 60_000 }, (_, n) => `\u001B[38;2;${n >> 16};${(n >> 8) & 255};${n & 255}mx`)
  const shown = render([rainbow.join('').replaceAll(/(.{2000})/g, '$1\n')])
  const sequences = shown.match(ANY_SGR) ?? []
  expect(new Set(sequences).size).toBeGreaterThan(9000)
  expect(sequences.length).toBeLessThan(110_000)
  expect(shown.replaceAll(ANY_SGR, '').replaceAll('\n', '').length).toBeGreaterThanOrEqual(60_000)
})
