import fc from 'fast-check'
import { expect, test } from 'vitest'

import { clipLine } from './clip-line.js'

test('clips a long line in the middle and states how much was omitted', () => {
  const line = `${'a'.repeat(5000)}${'b'.repeat(5000)}`
  const { text: clipped } = clipLine(line)
  expect(clipped.length).toBeLessThanOrEqual(2000)
  expect(clipped).toMatch(/^a+\[… [\d,]+ characters left out …\]b+$/)
  expect(kept(clipped) + leftOut(clipped)).toBe(10_000)
})

test('keeps a line of exactly the limit', () => {
  const line = 'x'.repeat(2000)
  expect(clipLine(line).text).toBe(line)
  expect(clipLine(`${line}x`).text).not.toBe(`${line}x`)
})

test('keeps the given position visible', () => {
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

test('never splits a surrogate pair', () => {
  for (const length of [2001, 2002, 2003]) expect(clipLine('😀'.repeat(length)).text.isWellFormed()).toBe(true)
})

const NOTE = /\[… ([\d,]+) characters left out …\]/g

function leftOut(clipped: string): number {
  return [...clipped.matchAll(NOTE)].reduce((sum, [, count = '']) => sum + Number(count.replaceAll(',', '')), 0)
}

function kept(clipped: string): number {
  return clipped.replaceAll(NOTE, '').length
}
