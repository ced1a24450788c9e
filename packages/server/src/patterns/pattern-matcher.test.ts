import { resolve } from 'node:path'

import { afterAll, describe, expect, onTestFinished, test, vi } from 'vitest'

import { underLoad } from '../../../../test/support/load.js'
import { isCheapPattern, parseLinePattern } from './line-pattern.js'
import { createTimeBudget, openPatternMatcher } from './pattern-matcher.js'

const partsDir = resolve(import.meta.dirname, '../../../../dist')
/** Only patterns that never end, or not soon, are given up. */
const patterns = openPatternMatcher({ partsDir, timeoutMs: 400 })
/** None is given up because the machine is busy. */
const patient = openPatternMatcher({ partsDir, timeoutMs: 60_000 })
const matcher = (source: string, user = 'ann') => patient.matcherFor(user, parseLinePattern(source))
const impatientMatcher = (source: string, user: string) => patterns.matcherFor(user, parseLinePattern(source))

afterAll(() => Promise.all([patterns.close(), patient.close()]))

// Each pattern once as it is, which is cheap, and once in a group, which needs a thread.
describe.each([
  ['in the main thread', (source: string) => source],
  ['in a thread', (source: string) => `(?:${source})`],
])('%s', (place, wrap) => {
  test('finds matching lines with the position of the match', async () => {
    const pattern = wrap('bb|c')
    expect(isCheapPattern(parseLinePattern(pattern))).toBe(place === 'in the main thread')
    expect(await matcher(pattern).find(['abb', 'x', 'c'])).toEqual([
      { line: 'abb', index: 1 },
      { line: 'c', index: 0 },
    ])
  })

  test.each([0, 5000, 9990, 10_500, 99_990, 250_000])('finds a match at %i of a long line', async (at) => {
    const line = `${'x'.repeat(at)}needle${'x'.repeat(50_000)}`
    expect(await matcher(wrap('nee[dt]le')).find([line])).toEqual([{ line, index: at }])
  })

  test('^ matches only the start of a long line', async () => {
    expect(await matcher(wrap('^y')).filter([`x${'y'.repeat(50_000)}`])).toEqual([])
  })

  test('keeps the order of many lines', async () => {
    const lines = Array.from({ length: 5000 }, (_, at) => `${at} ${'x'.repeat(200)}`)
    expect(await matcher(wrap('^\\d\\d\\d7 ')).filter(lines)).toEqual(lines.filter((line) => /^\d\d\d7 /.test(line)))
  })
})

test('supports the syntax of JavaScript', async () => {
  expect(await matcher('(?<!a)(?<n>b)\\k<n>(?=c)').find(['abb', 'xbbc'])).toEqual([{ line: 'xbbc', index: 1 }])
  expect(await matcher('\\u{1F600}+').filter(['\u{1F600}'])).toEqual(['\u{1F600}'])
  // Without the u flag, an unnecessary escape is allowed.
  expect(await matcher('\\-+x').filter(['--x'])).toEqual(['--x'])
  expect(() => parseLinePattern('(')).toThrow('The pattern cannot be used')
  expect(() => parseLinePattern('a'.repeat(1001))).toThrow('longer than 1000 characters')
})

test.each(['^(a|a)*b$', '(a+)+$b', '(.*)(.*)(.*)(.*)(.*)(.*)b', '(?=(a+)+b)x'])(
  'the loop runs on while %s is searched, until it is given up',
  async (pattern) => {
    const turns = vi.fn()
    const timer = setInterval(turns, 10)
    onTestFinished(() => clearInterval(timer))
    await expect(impatientMatcher(pattern, pattern).filter(['a'.repeat(5000)])).rejects.toThrow(
      `The pattern ${pattern} takes too long on this output. Give a simpler one, without nested repeats.`,
    )
    // Two attempts of 400 ms each: a blocked loop has no turn, a busy machine gives it some.
    expect(turns.mock.calls.length).toBeGreaterThan(3)
  },
)

test('tries a slow pattern on the beginning of each line', async () => {
  // Quadratic: one window takes some ten milliseconds, all of them more than a minute.
  const line = `${'x'.repeat(20_000_000)}needle`
  const timed = openPatternMatcher({ partsDir, timeoutMs: underLoad(400) })
  onTestFinished(() => timed.close())
  expect(await timed.matcherFor('bea', parseLinePattern('(?:x.*)n')).filter([line, 'xn'])).toEqual(['xn'])
})

test('the searches of one user do not delay those of another', async () => {
  const shared = openPatternMatcher({ partsDir, timeoutMs: 60_000 })
  const endless = shared.matcherFor('cleo', parseLinePattern('(a+)+$b'))
  const slow = Array.from({ length: 10 }, () => endless.filter(['a'.repeat(5000)]))
  const ended = vi.fn()
  for (const each of slow) each.then(ended, ended)
  expect(await shared.matcherFor('dora', parseLinePattern('x(y)')).filter(['xy'])).toEqual(['xy'])
  expect(ended).not.toHaveBeenCalled()
  await shared.close()
  await Promise.allSettled(slow)
})

test('the searches of one user that wait are limited', async () => {
  const many = Array.from({ length: 60 }, () => matcher('x(y)', 'eve').filter(['xy']))
  const results = await Promise.allSettled(many)
  const refused = results.filter(({ status }) => status === 'rejected')
  expect(refused.length).toBe(20)
  expect(String(refused[0]?.status === 'rejected' && refused[0].reason)).toMatch(
    /40 searches with patterns are waiting/,
  )
})

test('the time of a user is a budget that refills', () => {
  let now = 0
  const budget = createTimeBudget(() => now)
  budget.spend('ann', 10_001)
  expect(() => budget.check('ann')).toThrow(
    'Your patterns have used 10 s of computing time. Wait 1 s, or search for plain text',
  )
  expect(() => budget.check('bob')).not.toThrow()
  now += 1000
  expect(() => budget.check('ann')).not.toThrow()
  budget.spend('ann', 5000)
  expect(() => budget.check('ann')).toThrow('Wait 50 s')
})
