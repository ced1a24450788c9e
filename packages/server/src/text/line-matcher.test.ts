import { expect, test, vi } from 'vitest'

import { compileLineMatcher } from './line-matcher.js'

test('finds matching lines with the position of the match', () => {
  expect(compileLineMatcher('b+').find(['abb', 'x', 'b'])).toEqual([
    { line: 'abb', index: 1 },
    { line: 'b', index: 0 },
  ])
})

test.each([0, 5000, 9990, 10_500, 99_990, 250_000])('finds a match at %i of a long line', (at) => {
  const line = `${'x'.repeat(at)}needle${'x'.repeat(50_000)}`
  expect(compileLineMatcher('need?le').find([line])).toEqual([{ line, index: at }])
})

test('^ matches only the start of a long line', () => {
  expect(compileLineMatcher('^y').filter([`x${'y'.repeat(50_000)}`])).toEqual([])
})

test('tries a quadratic pattern on the beginning of a long line', async () => {
  const line = `${'x'.repeat(250_000)}needle`
  expect(compileLineMatcher('(x+)+$').filter(['xx'])).toEqual(['xx'])
  expect(() => compileLineMatcher('(x+)+y').filter([line])).toThrow('takes too long')
  // The limit of half a second may be too short for it beside busy processes.
  await vi.waitFor(() => expect(compileLineMatcher('x.*n').filter([line, 'xn'])).toContain('xn'))
})
