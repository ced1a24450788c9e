import fc from 'fast-check'
import { expect, test } from 'vitest'

import { clipLine } from './clip-line.js'

test('a long line is clipped in its middle and says by how much', () => {
  const line = `${'a'.repeat(5000)}${'b'.repeat(5000)}`
  const { text: clipped } = clipLine(line)
  expect(clipped.length).toBeLessThanOrEqual(2000)
  expect(clipped).toMatch(/^a+\[… [\d,]+ characters left out …\]b+$/)
  expect(kept(clipped) + leftOut(clipped)).toBe(10_000)
})

test('a line of exactly the limit is whole', () => {
  const line = 'x'.repeat(2000)
  expect(clipLine(line).text).toBe(line)
  expect(clipLine(`${line}x`).text).not.toBe(`${line}x`)
})

test('a place in the line stays visible, wherever it is', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 20_000 }), (at) => {
      const line = `${'-'.repeat(at)}found${'-'.repeat(20_000 - at)}`
      const { text: clipped, omitted } = clipLine(line, 2000, at)
      expect(clipped).toContain('found')
      expect(clipped.length).toBeLessThanOrEqual(2000)
      expect(kept(clipped) + leftOut(clipped)).toBe(line.length)
      expect(omitted.join('')).toHaveLength(leftOut(clipped))
    }),
  )
})

test('no surrogate pair is cut', () => {
  for (const length of [2001, 2002, 2003]) expect(clipLine('😀'.repeat(length)).text.isWellFormed()).toBe(true)
})

const NOTE = /\[… ([\d,]+) characters left out …\]/g

function leftOut(clipped: string): number {
  return [...clipped.matchAll(NOTE)].reduce((sum, [, count = '']) => sum + Number(count.replaceAll(',', '')), 0)
}

function kept(clipped: string): number {
  return clipped.replaceAll(NOTE, '').length
}
