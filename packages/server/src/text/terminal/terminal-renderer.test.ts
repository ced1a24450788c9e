import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { createTerminalRenderer } from './terminal-renderer.js'

const ESC = '\x1b'
const CSI = '\x1b['

/** Returns all emitted text and checks its measures on the way. */
function shown(...chunks: readonly (string | Uint8Array)[]): string {
  let text = ''
  const screen = createTerminalRenderer((bytes, measured) => {
    const piece = bytes.toString()
    const lines = piece.split('\n').length - 1
    if (measured.characters !== piece.length || measured.lines !== lines || !measured.isPlain)
      expect(measured).toEqual({ plain: true, characters: piece.length, lines })
    text += piece
  })
  for (const chunk of chunks) screen.write(typeof chunk === 'string' ? Buffer.from(chunk) : chunk)
  screen.end()
  return text
}

function inChunks(bytes: Uint8Array, sizes: readonly number[]): Buffer[] {
  const chunks: Buffer[] = []
  for (let at = 0; at < bytes.length; at += sizes[(chunks.length - 1) % sizes.length]!)
    chunks.push(Buffer.from(bytes.subarray(at, at + sizes[chunks.length % sizes.length]!)))
  return chunks
}

const sizes = fc.array(fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 4000, max: 70_000 })), {
  minLength: 1,
  maxLength: 8,
})

const sequence = fc
  .tuple(fc.constantFrom(...'ABCDEFGHIJKLMPX@adefsumhlST'.split('')), fc.array(fc.nat(12), { maxLength: 2 }))
  .map(([final, parameters]) => `${CSI}${parameters.join(';')}${final}`)

const escape = fc
  .constantFrom('7', '8', 'M', 'D', 'c', '(0', '(B', '[?1049h', '[?1049l', '[999;999H')
  .map((end) => ESC + end)
const string = fc
  .constantFrom(']0;title\x07', ']8;;http://x\x1b\\', 'P1$r\x1b\\', ']unclosed', '', '[')
  .map((end) => ESC + end)
const key = fc.constantFrom('\n', '\r', '\r\n', '\b', '\t', '\0', '\f', '\x7f', '\u009b', '日本', '👍', 'e\u0301')

const piece = fc.oneof(
  { weight: 6, arbitrary: fc.string({ maxLength: 12 }) },
  { weight: 3, arbitrary: fc.string({ unit: 'grapheme', maxLength: 6 }) },
  { weight: 5, arbitrary: sequence },
  { weight: 6, arbitrary: fc.oneof(key, escape, string) },
  { weight: 1, arbitrary: fc.integer({ min: 100, max: 300 }).map((count) => 'line\n'.repeat(count)) },
  { weight: 1, arbitrary: fc.integer({ min: 900, max: 2500 }).map((count) => 'é'.repeat(count)) },
)

const output = fc.array(piece, { maxLength: 30 }).map((pieces) => Buffer.from(pieces.join('')))

describe('any output', () => {
  test('the text does not depend on chunk boundaries', () => {
    fc.assert(
      fc.property(output, sizes, (bytes, cuts) => {
        expect(shown(...inChunks(bytes, cuts))).toBe(shown(bytes))
      }),
      { numRuns: 2000 },
    )
  })

  test('the same for long text with and without newlines', () => {
    const unit = fc.constantFrom(
      'x',
      'é',
      '日',
      'a line\n',
      '\n',
      `${'x'.repeat(1023)}é\n`,
      `${CSI}?1049h`,
      '\rx',
      'x\r\n',
    )
    const part = fc.record({ unit, bytes: fc.integer({ min: 1, max: 400_000 }) })
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 5 }), sizes, fc.nat(220), (parts, cuts, up) => {
        const text = parts
          .map((each) => each.unit.repeat(Math.ceil(each.bytes / Buffer.byteLength(each.unit))))
          .join('')
        const bytes = Buffer.from(up > 200 ? text : `${text}${CSI}${up}A\rX${CSI}K`)
        expect(shown(...inChunks(bytes, [...cuts, 65_536])) === shown(bytes)).toBe(true)
      }),
      { numRuns: 60 },
    )
  })

  test('the same for invalid bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), sizes, (bytes, cuts) => {
        expect(shown(...inChunks(bytes, cuts))).toBe(shown(bytes))
      }),
      { numRuns: 2000 },
    )
  })

  test('contains no control codes', () => {
    fc.assert(
      fc.property(output, (bytes) => {
        // oxlint-disable-next-line no-control-regex
        expect(shown(bytes)).not.toMatch(/[\0-\x08\x0b-\x1f\x7f-\x9f]/)
      }),
      { numRuns: 500 },
    )
  })

  test('replaces invalid UTF-8 as TextDecoder does', () => {
    const bytes = fc.uint8Array({ maxLength: 40 }).map((some) => some.map((byte) => (byte < 0x20 ? byte + 0x20 : byte)))
    const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
    fc.assert(
      fc.property(bytes, (some) => {
        // oxlint-disable-next-line no-control-regex
        expect(shown(some)).toBe(decoder.decode(some).replace(/[\x7f-\x9f]/g, ''))
      }),
      { numRuns: 3000 },
    )
  })

  test('keeps plain text unchanged', () => {
    const text = fc.string({ unit: fc.constantFrom('a', ' ', '\t', '\n', 'é', '日', '👍', '\u0301') })
    fc.assert(
      fc.property(text, sizes, (some, cuts) => {
        expect(shown(...inChunks(Buffer.from(some), cuts))).toBe(some)
      }),
    )
  })
})

describe('one row', () => {
  test.each([
    ['colours are gone', `${CSI}1;31merror${CSI}0m: ${CSI}38;5;12mx${CSI}m\n`, 'error: x\n'],
    ['a link is its text', `see ${ESC}]8;;https://a.b/c${ESC}\\the page${ESC}]8;;${ESC}\\ now`, 'see the page now'],
    ['a title is gone', `${ESC}]0;make: all\x07make\n`, 'make\n'],
    ['pictures and questions are gone', `a${ESC}Pq#0;2;0;0;0~~@@${ESC}\\b${ESC}_Gf=100;AAAA${ESC}\\c${CSI}6n`, 'abc'],
    ['a carriage return and a newline are a newline', 'a\r\nb\r\r\n', 'a\nb\n'],
    ['what comes after a carriage return is written over', '10%\r 20%\r100%\n', '100%\n'],
    ['what it does not reach stays', 'hello\rJ\n', 'Jello\n'],
    ['a carriage return at the end changes nothing', 'done\r', 'done'],
    ['a backspace goes back', 'a|\b/\b-\b\\\b done', 'a done'],
    ['the end can be erased', `long line\rok${CSI}K\n`, 'ok\n'],
    ['the beginning can be erased', `abcdef${CSI}3D${CSI}1K`, '    ef'],
    ['the whole can be erased', `abc${CSI}2K\rd`, 'd'],
    ['spaces that a program cleans up with are gone', `working...\r${' '.repeat(40)}\rdone\n`, 'done\n'],
    ['other spaces at an end stay', 'a  \n\t\n', 'a  \n\t\n'],
    ['a tab stays a tab', 'a\tb\tc\n', 'a\tb\tc\n'],
    ['a tab that is written into becomes spaces', 'a\tb\r12', '12      b'],
    ['a tab over text moves only', 'abcdefghij\r\tX', 'abcdefghXj'],
    ['a column can be chosen', `${CSI}10Gx${CSI}3Gy`, '  y      x'],
    ['letters can be put in and taken out', `abcdef\r${CSI}2@XY${CSI}3P`, 'XYdef'],
    ['letters can be blanked', `abcdef\r${CSI}2X`, '  cdef'],
    ['the cursor comes back to where it was saved', `ab${ESC}7cd${ESC}8X${CSI}sY${CSI}uZ`, 'abXZ'],
    ['a bell and its kind are gone', 'a\x07b\x0ec\x0fd\x7fe\x01f', 'abcdef'],
    ['a NUL ends what is not empty', 'a\0b\0\0\0c\n\0d', 'a\nb\nc\nd'],
    ['boxes are drawn', `${ESC}(0lqqk${ESC}(B l`, '┌──┐ l'],
    ['broken sequences are gone, and not what follows', `a${CSI}31\nb${ESC}\nc${CSI}${'1'.repeat(256)}d`, 'a\nb\ncd'],
    ['an unclosed title ends with its line', `a${ESC}]0;title\nb\n`, 'a\nb\n'],
  ])('%s', (_, printed, text) => {
    expect(shown(printed)).toBe(text)
  })

  test.each([
    ['a wide character is two columns', '日本語\r12', '12本語'],
    ['half of one leaves a space', '日本語\r1', '1 本語'],
    ['one over two letters', 'abcd\r日', '日cd'],
    ['one over the halves of two others', '日本\rx語', 'x語 '.trimEnd()],
    ['emoji too', '👍👍ok\r12', '12👍ok'],
    ['a mark stays upon its letter', 'e\u0301a\r\b', 'e\u0301a'],
    ['a mark goes with its letter', 'ae\u0301b\rxy', 'xyb'],
    ['a mark comes to what is written over', 'abc\re\u0301', 'e\u0301bc'],
    ['a block is one column', '████    \r██████', '██████'],
  ])('%s', (_, printed, text) => {
    expect(shown(printed)).toBe(text)
  })

  test('a long row wraps softly, and only its last part is editable', () => {
    const long = 'x'.repeat(100_000)
    expect(shown(`${long}\n`)).toBe(`${long}\n`)
    expect(shown(`${long}\rdone`)).toHaveLength(100_000)
    expect(shown(`a\r${long}\n`)).toBe(`${long}\n`)
  })

  test('the limit counts bytes and never splits a character', () => {
    for (const character of ['é', '日', '👍']) {
      const long = `a${character.repeat(5000)}`
      expect(shown(`${long}${CSI}A\r`)).toBe(long)
    }
  })
})

describe('many rows', () => {
  const many = Array.from({ length: 5000 }, (_, index) => `line ${index}\n`).join('')

  test('rows above the cursor are editable', () => {
    expect(shown(`one\ntwo\nthree\n${CSI}3AONE${CSI}E${CSI}2Kdeux${CSI}2B\rend`)).toBe('ONE\ndeux\nthree\nend')
  })

  test('a cursor that moved up and erased returns to its row', () => {
    expect(shown(`a\nb\nc\n${CSI}3A${CSI}J${CSI}3Bd`)).toBe('\n\n\nd')
  })

  test('clearing does not affect final rows', () => {
    for (const clear of [`${CSI}H${CSI}2J${CSI}3J`, `${CSI}2J${CSI}H`, `${ESC}c`]) {
      const text = shown(`${many}${clear}after\n`)
      expect(text).toBe(`${many.split('\n').slice(0, 4801).join('\n')}\nafter\n`)
    }
  })

  test('the cursor stays within the editable rows', () => {
    const lines = shown(`${many}${CSI}9999AX`).split('\n')
    expect(lines[4801]).toBe('Xine 4801')
    expect(lines).toHaveLength(5001)
  })

  test('inserts and removes rows', () => {
    expect(shown(`a\nb\nc\n${CSI}2A${CSI}L1${CSI}2E${CSI}M`)).toBe('a\n1\nb\n')
  })

  test('a large row number means the last row', () => {
    expect(shown(`a\nb${CSI}999;1HX`)).toBe('a\nX')
  })

  test('reverse index at the top inserts a row', () => {
    expect(shown(`a\nb${CSI}H${ESC}MX`)).toBe('X\na\nb')
  })
})

describe('the alternate page', () => {
  const vim = `${CSI}?1049h${CSI}22;0;0t${CSI}1;24r${CSI}H${CSI}2J~\r\n~\r\n${CSI}1;1Hhello${CSI}3;1H-- INSERT --`

  test('is discarded when it is left', () => {
    expect(shown(`$ vim\n${vim}${CSI}?1049l$ ls\n`)).toBe('$ vim\n$ ls\n')
  })

  test('is shown if the program ended in it', () => {
    expect(shown(`$ vim${vim}`)).toBe('$ vim\nhello\n~\n-- INSERT --')
  })

  test('does not affect the rows of the main page', () => {
    expect(shown(`a\nb${CSI}?47h${CSI}H${CSI}2J${'x\n'.repeat(1000)}${CSI}?47lc`)).toBe('a\nbc')
  })
})

describe('incomplete sequences', () => {
  test.each([
    ['a character', Buffer.from('a日').subarray(0, 3), 2],
    ['an escape', `a${ESC}`, 1],
    ['a sequence', `a${CSI}38;5`, 6],
    ['a set of characters', `a${ESC}(`, 2],
    ['a title', `a${ESC}]0;ti`, 6],
    ['nothing', `a${CSI}m\r`, 0],
  ])('%s is pending', (_, bytes, count) => {
    let text = ''
    const screen = createTerminalRenderer((finished) => (text += finished.toString()))
    screen.write(Buffer.from(bytes))
    expect(screen.pendingBytes()).toBe(count)
    expect(text + screen.remainingText().toString()).toBe('a')
  })

  test('abandons an unterminated string', () => {
    const endless = 'x'.repeat(3 * 1024 * 1024)
    expect(shown(`${ESC}P${endless}`)).toHaveLength(2 * 1024 * 1024 + 2)
    expect(shown(`${ESC}P日`, '日'.repeat(1024 * 1024)).startsWith('日')).toBe(true)
  })
})
