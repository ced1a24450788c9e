import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { createOutputRenderer, type RenderedOutput } from './output-renderer.js'

const MB = 1024 * 1024
const ESC = '\x1b'
const CSI = '\x1b['

function renderOutput(output: string | Uint8Array, maxCharacters = 30_000, chunkSize = Infinity): RenderedOutput {
  const digest = createOutputRenderer({ maxCharacters })
  for (const chunk of inChunks(Buffer.from(output), [chunkSize])) digest.write(chunk)
  return digest.snapshot()
}

const shown = (output: string | Uint8Array): string => renderOutput(output).text

function inChunks(bytes: Buffer, sizes: readonly number[]): Buffer[] {
  const chunks: Buffer[] = []
  for (let at = 0; at < bytes.length; at += sizes[(chunks.length - 1) % sizes.length]!)
    chunks.push(Buffer.from(bytes.subarray(at, at + sizes[chunks.length % sizes.length]!)))
  return chunks
}

const sizes = fc.array(fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 500, max: 9000 })), {
  minLength: 1,
  maxLength: 6,
})

const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1')

const printed = fc
  .array(
    fc.oneof(
      { weight: 6, arbitrary: fc.string({ unit: 'grapheme', maxLength: 30 }).map((text) => Buffer.from(text)) },
      {
        weight: 6,
        arbitrary: fc
          .constantFrom(
            '\n',
            '\r',
            '\r\n',
            '\0',
            '\t',
            `${CSI}31m`,
            `${CSI}A`,
            `${CSI}2K`,
            `${CSI}2J`,
            `${ESC}]0;t\x07`,
          )
          .map((text) => Buffer.from(text)),
      },
      {
        weight: 1,
        arbitrary: fc.integer({ min: 1, max: 700 }).map((count) => Buffer.from('a line of text\n'.repeat(count))),
      },
      { weight: 1, arbitrary: fc.uint8Array({ maxLength: 400 }).map((bytes) => Buffer.from(bytes)) },
      { weight: 1, arbitrary: fc.constant(latin1('caf\xe9 ')) },
    ),
    { maxLength: 20 },
  )
  .map((pieces) => Buffer.concat(pieces))

describe('any output', () => {
  test('is rendered the same however it is cut into chunks', () => {
    fc.assert(
      fc.property(printed, sizes, fc.integer({ min: 0, max: 3000 }), (bytes, cuts, maxCharacters) => {
        const digest = createOutputRenderer({ maxCharacters })
        for (const chunk of inChunks(bytes, cuts)) digest.write(chunk)
        expect(digest.snapshot()).toEqual(renderOutput(bytes, maxCharacters))
      }),
      { numRuns: 2000 },
    )
  })

  test('has every character shown or counted, within the limit', () => {
    fc.assert(
      fc.property(printed, fc.integer({ min: 0, max: 3000 }), (bytes, maxCharacters) => {
        const whole = renderOutput(bytes, 1_000_000)
        const cut = renderOutput(bytes, maxCharacters)
        if (whole.binary) return
        const [before, after] = cut.truncated ? aroundGap(cut) : [cut.text, '']
        // If a line was cut, the newline before the gap is not part of the text.
        const added = before.length + after.length + cut.omittedCharacters - whole.text.length
        expect(added === 0 || (added === 1 && before.endsWith('\n'))).toBe(true)
        const shownText = before.slice(0, before.length - added) + after
        expect(linesIn(shownText) + cut.omittedLines).toBe(linesIn(whole.text))
        expect(Buffer.byteLength(shownText) + cut.omittedBytes).toBe(Buffer.byteLength(whole.text))
        expect(shownText.length).toBeLessThanOrEqual(maxCharacters)
        expect(whole.text.startsWith(before.slice(0, before.length - added)) && whole.text.endsWith(after)).toBe(true)
        expect(shownText.isWellFormed()).toBe(true)
      }),
      { numRuns: 2000 },
    )
  })

  test('is not changed by intermediate snapshots', () => {
    const text = fc.array(fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom('\n', '\r', `${CSI}A`, `${CSI}K`)))
    fc.assert(
      fc.property(text, sizes, (pieces, cuts) => {
        const bytes = Buffer.from(pieces.join(''))
        const digest = createOutputRenderer({ maxCharacters: 100 })
        for (const chunk of inChunks(bytes, cuts)) {
          digest.write(chunk)
          digest.snapshot()
          digest.latestLine()
        }
        expect(digest.snapshot()).toEqual(renderOutput(bytes, 100))
      }),
      { numRuns: 500 },
    )
  })

  test('keeps multi-byte characters intact for all chunk sizes', () => {
    const text = 'aé日👍\n'.repeat(MB / 11)
    for (const size of [1, 3, 7, 1021, 65_537]) {
      const digest = renderOutput(text, 2 * MB, size)
      expect(digest.text === text).toBe(true)
      expect(digest).toMatchObject<Partial<RenderedOutput>>({ truncated: false, incompleteBytes: 0, binary: undefined })
    }
  })
})

function aroundGap({ text, omittedLines, omittedCharacters }: RenderedOutput): [string, string] {
  const [gap = '', ...numbers] = /\[(?:([\d,]+) lines? \()?([\d,]+) characters?\)? left out here\]\n/.exec(text) ?? []
  const counts = numbers.map((number) => Number((number ?? '0').replaceAll(',', '')))
  expect(counts).toEqual([omittedLines, omittedCharacters])
  const at = text.indexOf(gap)
  return [text.slice(0, at), text.slice(at + gap.length)]
}

function linesIn(text: string): number {
  return text.split('\n').length - 1
}

describe('output that is too long', () => {
  const numbers = Array.from({ length: 100_000 }, (_, index) => `${index + 1}\n`).join('')

  test('is cut at line ends, and the omitted part is counted', () => {
    const { text, omittedLines, omittedCharacters, omittedBytes, truncated } = renderOutput(numbers, 100)
    expect(text).toBe(
      `${'1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 '.replaceAll(' ', '\n')}[99,975 lines (588,801 characters) left out here]\n` +
        Array.from({ length: 9 }, (_, index) => `${99_992 + index}\n`).join(''),
    )
    expect({ omittedLines, omittedCharacters, omittedBytes, truncated }).toEqual({
      omittedLines: 99_975,
      omittedCharacters: 588_801,
      omittedBytes: 588_801,
      truncated: true,
    })
  })

  test('is cut inside a line that is too long, and not inside a character', () => {
    expect(renderOutput('👍'.repeat(50), 11).text).toBe('👍👍\n[90 characters left out here]\n👍👍👍')
    expect(renderOutput(`ab\n${'x'.repeat(100)}\ny`, 10).text).toBe('ab\n[96 characters left out here]\nxxxx\ny')
  })

  test('is complete if it just fits', () => {
    expect(renderOutput('0123456789', 10).text).toBe('0123456789')
    expect(renderOutput('日本語日本語日本語日', 10).text).toBe('日本語日本語日本語日')
    expect(renderOutput('0123456789a', 10)).toMatchObject({ omittedCharacters: 1, truncated: true })
  })

  test('has snapshots while it grows, including the last row', () => {
    const digest = createOutputRenderer({ maxCharacters: 1000 })
    digest.write(Buffer.from('one\ntw'))
    expect(digest.snapshot()).toMatchObject({ text: 'one\ntw', bytes: 6 })
    digest.write(Buffer.from(`o\r${CSI}2`))
    expect(digest.snapshot()).toMatchObject<Partial<RenderedOutput>>({ text: 'one\ntwo', incompleteBytes: 3 })
    digest.write(Buffer.from('Kdeux\n'))
    expect(digest.snapshot()).toMatchObject<Partial<RenderedOutput>>({
      text: 'one\ndeux\n',
      incompleteBytes: 0,
      bytes: 17,
    })
  })
})

describe('memory is bounded for', () => {
  const max = 30_000
  const bound = 20 * max

  test.each([
    ['one line', 'x'.repeat(1000)],
    ['one line of wide characters', '日'.repeat(1000)],
    ['empty lines', '\n'.repeat(1000)],
    ['short lines', 'line\n'.repeat(200)],
    ['long lines', `${'x'.repeat(900)}\n`],
    ['progress', '\rDownloading 12%'.repeat(60)],
    ['coloured progress', `\r${CSI}32mDownloading${CSI}0m 12%${CSI}K`.repeat(60)],
    ['rows that are drawn again and again', `${CSI}5A${`${CSI}2Krow\n`.repeat(5)}`.repeat(30)],
    ['marks upon one letter', '\u0301'.repeat(500)],
    ['marks in a row that changes', `\ra${'\u0301'.repeat(300)}`],
    ['tabs in rows that change', `${'\t'.repeat(1000)}\r${CSI}C.\n`],
    ['a sequence that never ends', `${CSI}${'1;'.repeat(500)}`],
    ['a string that never ends', `${ESC}P${'q'.repeat(998)}`],
    ['letters put in', `x\r${CSI}999@`.repeat(100)],
    ['rows put in', `x${CSI}H${CSI}150L`.repeat(60)],
    ['alternate pages', `${CSI}?1049h${'text\n'.repeat(190)}`],
    ['not quite binary data', latin1(`caf\xe9 `.repeat(200))],
    ['binary data', latin1('\0\x01\x02\x03\xff'.repeat(200))],
    ['NULs between letters', 'a\0'.repeat(500)],
  ])('%s', (_, unit) => {
    const digest = createOutputRenderer({ maxCharacters: max })
    const part = Buffer.from(unit)
    const chunk = Buffer.alloc(Math.floor(65_536 / part.length) * part.length, part)
    for (let written = 0; written < MB; written += chunk.length) {
      digest.write(Buffer.from(chunk))
      if (written % (16 * chunk.length) === 0) expect(digest.bufferedBytes()).toBeLessThan(bound)
    }
    const { text, bytes } = digest.snapshot()
    expect(text.length).toBeLessThan(max + 100)
    expect(bytes).toBeGreaterThanOrEqual(MB)
  })

  test('a single chunk of any size', () => {
    const digest = createOutputRenderer({ maxCharacters: max })
    digest.write(Buffer.alloc(20 * MB, 'x'))
    expect(digest.bufferedBytes()).toBeLessThan(bound)
    expect(digest.snapshot().omittedCharacters).toBe(20 * MB - 2000)
  })
})

describe('a line of more than 2,000 characters', () => {
  test('is clipped in its middle, and the lines around it are complete', () => {
    const { text, truncated, omittedCharacters, omittedBytes } = renderOutput(`before\n${'é'.repeat(5000)}\nafter\n`)
    const [, clipped = ''] = text.split('\n')
    expect(text).toBe(`before\n${clipped}\nafter\n`)
    expect(clipped).toMatch(/^é+\[… [\d,]+ characters left out …\]é+$/)
    expect(clipped.length).toBeLessThanOrEqual(2000)
    expect([truncated, omittedCharacters, omittedBytes]).toEqual([
      true,
      5000 - clipped.replace(/\[.*\]/, '').length,
      2 * (5000 - clipped.replace(/\[.*\]/, '').length),
    ])
  })

  test('that is longer than the limit keeps both ends', () => {
    const { text, omittedCharacters } = renderOutput(`${'a'.repeat(50_000)}${'b'.repeat(50_000)}\nafter\n`)
    expect(text).toBe(`${'a'.repeat(1000)}\n[98,000 characters left out here]\n${'b'.repeat(1000)}\nafter\n`)
    expect(omittedCharacters).toBe(98_000)
  })

  test('is complete without a limit', () => {
    const digest = createOutputRenderer({ maxCharacters: 30_000, maxLine: Infinity })
    digest.write(Buffer.from('x'.repeat(10_000)))
    expect(digest.snapshot()).toMatchObject({ text: 'x'.repeat(10_000), truncated: false })
  })
})

describe('binary data', () => {
  const noise = Buffer.from(
    Array.from({ length: 50_000 }, (_, index) => (index * index * 31 + index * 7) >> 3).map((n) => n & 0xff),
  )
  const png = Buffer.concat([latin1('\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x02\0\0\0\x02\0\x08\x06\0\0\0'), noise])

  test.each([
    ['an image', png, 'PNG image'],
    ['a program', Buffer.concat([latin1('\x7fELF\x02\x01\x01'), Buffer.alloc(600), noise]), 'ELF program'],
    ['an archive', Buffer.concat([latin1('PK\x03\x04\x14\0\0\0\x08\0'), noise]), 'ZIP archive'],
    [
      'a document',
      Buffer.concat([latin1('%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n<<>>\nstream\n'), noise]),
      'PDF document',
    ],
    [
      'a tar',
      Buffer.concat([
        latin1('a.txt'.padEnd(100, '\0')),
        latin1('0000644\0'.padEnd(157, '\0')),
        latin1('ustar\x0000'.padEnd(255, '\0')),
        Buffer.alloc(2000, 'text'),
      ]),
      'tar archive',
    ],
    ['noise', noise, 'unknown format'],
    ['zeros', Buffer.alloc(100_000), 'unknown format'],
    ['a few bytes', Buffer.from([0, 1, 2, 3, 4, 5, 6, 7]), 'unknown format'],
    ['the first bytes of an image', png.subarray(0, 20), 'PNG image'],
    [
      'Cyrillic of another encoding',
      Buffer.from('cff0e8e2e5f22c20ece8f0210a', 'hex'),
      'not UTF-8, possibly text in another encoding',
    ],
  ])('%s is named, not shown', (_, bytes, format) => {
    for (const size of [Infinity, 7]) {
      const digest = renderOutput(bytes, 30_000, size)
      expect(digest).toMatchObject<Partial<RenderedOutput>>({
        text: `[binary output: ${format}, ${bytes.length.toLocaleString('en')} bytes]`,
        binary: { format, offset: 0, bytes: bytes.length },
        bytes: bytes.length,
        truncated: false,
        incompleteBytes: 0,
      })
    }
  })

  test('keeps the text before it', () => {
    const before = 'some text\n'.repeat(3000)
    const digest = renderOutput(Buffer.concat([Buffer.from(before), png]), 100_000)
    expect(digest.text).toBe(`${before}[binary output: PNG image, ${png.length.toLocaleString('en')} bytes]`)
    expect(digest.binary).toEqual({ format: 'PNG image', offset: before.length, bytes: png.length })
  })

  test('after long text is noted together with the omission', () => {
    const { text } = renderOutput(Buffer.concat([Buffer.from('some text\n'.repeat(3000)), noise]), 100)
    expect(text).toMatch(
      /^(some text\n){4}\[2,990 lines \(29,900 characters\) left out here\]\n(some text\n){6}\[binary output: /,
    )
  })

  test('is not a NUL-separated list, which is shown as lines', () => {
    expect(shown('./a\0./b c\0./d\n')).toBe('./a\n./b c\n./d\n')
    expect(shown('PATH=/bin\0HOME=/root\0LANG=C\0'.repeat(500))).toHaveLength(28 * 500)
    expect(shown('ls\0-l\0')).toBe('ls\n-l\n')
    expect(shown('a\0b\0c\0d\0')).toBe('a\nb\nc\nd\n')
  })

  test('is not text with a stray NUL or invalid character', () => {
    expect(shown('a line\nanother\0 line\n')).toBe('a line\nanother\n line\n')
    expect(shown(latin1('caf\xe9\n'))).toBe('caf\ufffd\n')
    expect(shown(latin1('d\xe9j\xe0 vu, \xe7a va, h\xe9 oui!\n'.repeat(400)))).toBe(
      'd\ufffdj\ufffd vu, \ufffda va, h\ufffd oui!\n'.repeat(400),
    )
  })

  test('is not text with terminal control codes', () => {
    expect(renderOutput(`${CSI}31m${CSI}K\x07\b${ESC}(B\x0e\x0f\f`.repeat(2000)).binary).toBeUndefined()
  })

  test('is not UTF-16 with a byte order mark', () => {
    const bytes = Buffer.from('\ufeffWindows ☃ 👍\r\nsays hello\r\n', 'utf16le')
    for (const size of [Infinity, 1, 3]) expect(renderOutput(bytes, 1000, size).text).toBe('Windows ☃ 👍\nsays hello\n')
    expect(renderOutput(bytes.subarray(0, 5))).toMatchObject<Partial<RenderedOutput>>({ text: 'W', incompleteBytes: 1 })
  })
})

describe('the latest line', () => {
  const newest = (...chunks: string[]): string => {
    const digest = createOutputRenderer({ maxCharacters: 1000 })
    for (const chunk of chunks) digest.write(Buffer.from(chunk))
    return digest.latestLine()
  }

  test.each([
    ['of nothing', '', ''],
    ['of empty lines', '\n \n', ''],
    ['with its colours gone', `a\n${CSI}32mb c${CSI}0m\n\n`, 'b c'],
    ['that is not whole yet', 'a\nbcd', 'bcd'],
    ['of progress', 'x\n10%\r20%\r', '20%'],
    ['of much', `${'x\n'.repeat(10_000)}last\n`, 'last'],
  ])('%s', (_, output, line) => {
    expect(newest(output)).toBe(line)
  })

  test('is no longer than 200 characters', () => {
    expect(newest('👍'.repeat(1000))).toBe('👍'.repeat(100))
    expect(newest(`${'👍'.repeat(1000)}x`)).toBe(`${'👍'.repeat(99)}x`)
  })
})

test('holds nothing and counts on once its text is released', () => {
  const renderer = createOutputRenderer({ maxCharacters: 1000 })
  renderer.write(Buffer.from('a line\n'.repeat(500)))
  expect(renderer.bufferedBytes()).toBeGreaterThan(1000)
  renderer.release()
  renderer.write(Buffer.from('more\n'.repeat(10_000)))
  expect([renderer.bufferedBytes(), renderer.snapshot().bytes, renderer.snapshot().text]).toEqual([0, 53_500, ''])
})
