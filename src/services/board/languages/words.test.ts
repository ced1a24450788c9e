import { describe, expect, test } from 'vitest'

import { LANGUAGES, localeOf, preferred, speak } from './words.js'

const MINUTE = 60_000

describe('which language', () => {
  test.each([
    [['ko-KR', 'en'], 'ko'],
    [['de-DE', 'AR-eg', 'en'], 'ar'],
    [['fr', 'de'], 'en'],
    [[], 'en'],
    [['', '-', 'arc', 'kok'], 'en'],
  ] as const)('%j reads %s', (wanted, language) => {
    expect(preferred(wanted)).toBe(language)
  })

  test('the way the reader writes numbers is kept', () => {
    expect(localeOf('ar', ['en', 'ar-EG'])).toBe('ar-EG')
    expect(localeOf('ko', ['en', 'ar-EG'])).toBe('ko')
  })

  test('one that is no tag is read all the same', () => {
    expect(preferred(['en-US@posix'])).toBe('en')
    expect(speak('en', localeOf('en', ['en-US@posix', 'en-']))).toMatchObject({ language: 'en' })
    expect(localeOf('en', ['en-US@posix', 'en-GB'])).toBe('en-GB')
  })
})

describe('phrases', () => {
  test('take the form that the number asks for', () => {
    const arabic = speak('ar')
    const forms = [0, 1, 2, 3, 11, 100].map((n) => arabic.say('questionsWaiting', { n }))
    expect(new Set(forms).size).toBe(6)
    expect(speak('en').say('questionsWaiting', { n: 1 })).toBe('1 question is waiting')
    expect(speak('en').say('questionsWaiting', { n: 1200 })).toBe('1,200 questions are waiting')
  })

  test('fill in what is given and nothing else', () => {
    const words = speak('en')
    expect(words.say('questionNew', { question: '{n} <b> $& {question}' })).toBe('New question: {n} <b> $& {question}')
    expect(words.say('exitCode', { code: '137' })).toBe('exit code 137')
    expect(words.pieces('exitCode')).toEqual(['exit code ', 'code', ''])
  })
})

describe.each(LANGUAGES)('times in $name', ({ language }) => {
  const words = speak(language)

  test('have at most two units and never less than nothing', () => {
    for (const ms of [-5, 0, 1, 999, 1000, 1500, 59_999, MINUTE, 61_000, 3_600_000, 90_061_000, 1e12]) {
      const text = words.duration(ms)
      expect(text).not.toBe('')
      expect(text).not.toContain('-')
    }
    expect(words.duration(MINUTE).split(' ').length).toBeLessThan(words.duration(MINUTE + 5000).split(' ').length)
  })

  test('look back and ahead', () => {
    expect(words.ago(0, 5 * MINUTE)).toBe(new Intl.RelativeTimeFormat(language).format(-5, 'minute'))
    expect(words.ago(1000, 0)).toBe(words.ago(0, 1000))
  })
})

test('sizes are in the unit that fits', () => {
  const { bytes } = speak('en')
  expect([0, 1, 999, 1000, 1_048_576, 327_155_712, 5e12].map(bytes)).toEqual([
    '0 bytes',
    '1 byte',
    '999 bytes',
    '1 kB',
    '1 MB',
    '327.2 MB',
    '5 TB',
  ])
})

test('a length of time in English', () => {
  const { duration } = speak('en')
  expect([12, 3400, 45_000, 125_000, 7_500_000, 90_000_000].map(duration)).toEqual([
    '12ms',
    '3.4s',
    '45s',
    '2m 5s',
    '2h 5m',
    '1d 1h',
  ])
})
