import fc from 'fast-check'
import { expect, test } from 'vitest'

import { createTerminalOutputFilter } from './filter-terminal-output.js'

const ESC = '\u001B'

function filter(...texts: readonly string[]): string {
  const created = createTerminalOutputFilter()
  return texts.map((text) => created.push(text)).join('')
}

test.each([
  ['text and line ends', 'a\tb\r\n한국어 👩‍💻\u0007\b'],
  ['colours', `${ESC}[1;38;2;1;2;3mx${ESC}[38:5:9my${ESC}[m`],
  ['moves and erasing', `${ESC}[2J${ESC}[5;10H${ESC}[K${ESC}[3A${ESC}7${ESC}8${ESC}[1;20r${ESC}M`],
  ['modes of keys, screen, mouse and paste', `${ESC}[?1049h${ESC}[?1;25h${ESC}[?1006;1000l${ESC}[?2004h${ESC}[4h`],
  ['character sets, cursor style, soft reset', `${ESC}(0${ESC})B${ESC}[2 q${ESC}[!p${ESC}c`],
])('%s are passed on, wherever they are split', (_, text) => {
  expect(filter(text)).toBe(text)
  for (let at = 0; at <= text.length; at++) expect(filter(text.slice(0, at), text.slice(at))).toBe(text)
  expect(filter(...text.split(''))).toBe(text)
})

test.each([
  ['the clipboard', `${ESC}]52;c;aGFja2Vk\u0007`],
  ['the clipboard, ended by ST', `${ESC}]52;c;aGFja2Vk${ESC}\\`],
  ['titles and links', `${ESC}]0;title\u0007${ESC}]8;;http://a/\u0007`],
  [
    'queries',
    `${ESC}[c${ESC}[>c${ESC}[6n${ESC}[?6n${ESC}[5n${ESC}[?25$p${ESC}[>q${ESC}[18t${ESC}[21t${ESC}Z${ESC}[?u\u0005`,
  ],
  ['reports of focus and of colours', `${ESC}[?1004h${ESC}[?2031h${ESC}[>4;2m`],
  ['strings for devices and applications', `${ESC}P$qm${ESC}\\${ESC}_x${ESC}\\${ESC}^x${ESC}\\${ESC}Xx${ESC}\\`],
  ['C1 controls', '\u009B\u009D\u0090\u009C\u0085'],
])('%s are dropped, wherever they are split', (_, text) => {
  for (let at = 0; at <= text.length; at++) expect(filter('<', text.slice(0, at), text.slice(at), '>')).toBe('<>')
})

test('of several modes those that are allowed stay', () => {
  expect(filter(`${ESC}[?1004;1000;25h`)).toBe(`${ESC}[?1000;25h`)
})

test('an unfinished string ends with the next sequence, and an endless sequence is dropped', () => {
  expect(filter(`${ESC}]0;never ended`, ` and on${ESC}[31mred`)).toBe(`${ESC}[31mred`)
  expect(filter(`${ESC}[${'1;'.repeat(200)}`, 'm')).not.toContain(ESC)
})

/** What may be left. */
const ALLOWED =
  // oxlint-disable-next-line no-control-regex -- this is about control characters
  /^(?:[^\0-\u001F\u007F-\u009F]|[\u0007-\u000F]|\u001B(?:\[[?!]?[\d;:]*[ "]?[@-MPSTXZ`abdefghlmrsupqJK]|[()*+][0-2AB]|#[3-68]|[78=>DEHMNOc]))*$/

test('whatever is printed, only drawing is left', () => {
  const piece = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom(ESC, '[', ']', 'P', '\\', '\u0007', '52;c;x', '6n', '?1004h', '?25h', '31m', '\u009B', '\u0018'),
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      expect(filter(...pieces)).toMatch(ALLOWED)
    }),
  )
})
