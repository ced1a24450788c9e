import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { createLineReader, type InvalidLine } from './line-reader.js'

function linesOf(chunks: readonly Buffer[], maxBytes = 1000): (string | InvalidLine)[] {
  const lines = createLineReader(maxBytes)
  const all: (string | InvalidLine)[] = []
  const drain = (): void => {
    for (let line = lines.next(); line !== undefined; line = lines.next()) all.push(line)
  }
  for (const chunk of chunks) {
    lines.push(chunk)
    drain()
  }
  lines.end()
  drain()
  return all
}

const texts = (...parts: string[]): Buffer[] => parts.map((part) => Buffer.from(part))

describe('lines', () => {
  test.each([
    ['one line', ['a\n'], ['a']],
    ['several in one chunk', ['a\nb\nc\n'], ['a', 'b', 'c']],
    ['one over several chunks', ['a', 'b', 'c\n'], ['abc']],
    ['a rest without a newline', ['a\nb'], ['a', 'b']],
    ['blank lines', ['\n\n a \n\t\n'], [' a ']],
    ['an end in the middle', ['a\nb', 'c\nd', '\n'], ['a', 'bc', 'd']],
    ['nothing', [], []],
  ])('%s', (_, chunks, expected) => {
    expect(linesOf(texts(...chunks))).toEqual(expected)
  })

  test('decodes a character that is split between chunks', () => {
    const bytes = Buffer.from('x😀é\n')
    for (let at = 0; at <= bytes.length; at++) {
      expect(linesOf([bytes.subarray(0, at), bytes.subarray(at)])).toEqual(['x😀é'])
    }
  })

  test('accepts a line of exactly the limit and rejects one byte more, counted in bytes', () => {
    expect(linesOf(texts(`${'x'.repeat(10)}\n`), 10)).toEqual(['x'.repeat(10)])
    expect(linesOf(texts(`${'x'.repeat(11)}\ny\n`), 10)).toEqual([{ reason: expect.stringContaining('10 bytes') }, 'y'])
    expect(linesOf(texts('ééééé\n'), 10)).toEqual(['ééééé'])
    expect(linesOf(texts('éééééx\nz\n'), 10)).toEqual([{ reason: expect.any(String) }, 'z'])
  })

  test('reports a long line once and skips it up to its newline', () => {
    expect(linesOf(texts('a\nxxxxxx', 'xxxxxx', 'xxxxxx', 'xx\nb\n'), 10)).toEqual([
      'a',
      { reason: expect.any(String) },
      'b',
    ])
    expect(linesOf(texts('xxxxxxxxxxxx', 'xx'), 10)).toEqual([{ reason: expect.any(String) }])
  })

  test('joins a line of a million bytes that arrived one by one', () => {
    const bytes = Buffer.from(`${'0123456789'.repeat(100_000)}\n`)
    const lines = createLineReader(2_000_000)
    for (let at = 0; at < bytes.length; at++) lines.push(bytes.subarray(at, at + 1))
    expect(lines.next()).toBe(bytes.toString().trim())
  })

  test('a line that is not UTF-8 does not affect the others', () => {
    const bytes = Buffer.concat([Buffer.from('a\n'), Buffer.from([0xc3, 0x28, 0x0a]), Buffer.from('é\n')])
    expect(linesOf([bytes])).toEqual(['a', { reason: 'the line is not valid UTF-8' }, 'é'])
  })

  test('any bytes give the same lines, however they are split', () => {
    const byte = fc.oneof(fc.constantFrom(0x0a, 0x0d, 0x20, 0x41, 0xc3, 0xa9, 0xff), fc.integer({ min: 0, max: 255 }))
    fc.assert(
      fc.property(fc.array(byte, { maxLength: 200 }), fc.array(fc.nat(200), { maxLength: 10 }), (values, cuts) => {
        const bytes = Buffer.from(values)
        const positions = [...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort((a, b) => a - b)
        const chunks = positions.map((end, index) => bytes.subarray(positions[index - 1] ?? 0, end))
        expect(linesOf(chunks, 40)).toEqual(linesOf([bytes], 40))
      }),
      { numRuns: 1000 },
    )
  })
})
