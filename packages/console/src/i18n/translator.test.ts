import { describe, expect, test } from 'vitest'

import { createTranslator, LANGUAGES, preferredLanguage, preferredLocale } from './translator.js'

const MINUTE = 60_000

describe('language choice', () => {
  test.each([
    [['ko-KR', 'en'], 'ko'],
    [['de-DE', 'AR-eg', 'en'], 'ar'],
    [['fr', 'de'], 'en'],
    [[], 'en'],
    [['', '-', 'arc', 'kok'], 'en'],
  ] as const)('%j reads %s', (wanted, language) => {
    expect(preferredLanguage(wanted)).toBe(language)
  })

  test("keeps the reader's number format", () => {
    expect(preferredLocale('ar', ['en', 'ar-EG'])).toBe('ar-EG')
    expect(preferredLocale('ko', ['en', 'ar-EG'])).toBe('ko')
  })

  test('ignores an invalid language tag', () => {
    expect(preferredLanguage(['en-US@posix'])).toBe('en')
    expect(createTranslator('en', preferredLocale('en', ['en-US@posix', 'en-']))).toMatchObject({ language: 'en' })
    expect(preferredLocale('en', ['en-US@posix', 'en-GB'])).toBe('en-GB')
  })
})

describe('texts', () => {
  test('use the plural form of the number', () => {
    const arabic = createTranslator('ar')
    const forms = [0, 1, 2, 3, 11, 100].map((n) => arabic.translate('jobsRunning', { n }))
    expect([...new Set(forms)]).toHaveLength(6)
    expect(createTranslator('en').translate('jobsRunning', { n: 1 })).toBe('1 job is running')
    expect(createTranslator('en').translate('jobsRunning', { n: 1200 })).toBe('1,200 jobs are running')
  })

  test('fill in the given values only', () => {
    const translator = createTranslator('en')
    expect(translator.translate('questionNew', { question: '{n} <b> $& {question}' })).toBe(
      'New question: {n} <b> $& {question}',
    )
    expect(translator.translate('exitCode', { code: '137' })).toBe('exit code 137')
    expect(translator.splitText('exitCode')).toEqual(['exit code ', 'code', ''])
  })
})

describe.each(LANGUAGES)('durations and times in $name', ({ language }) => {
  const translator = createTranslator(language)

  test('have at most two units and are never negative', () => {
    for (const ms of [-5, 0, 1, 999, 1000, 1500, 59_999, MINUTE, 61_000, 3_600_000, 90_061_000, 1e12]) {
      const text = translator.formatDuration(ms)
      expect(text).not.toBe('')
      expect(text).not.toContain('-')
    }
    expect(translator.formatDuration(MINUTE).split(' ').length).toBeLessThan(
      translator.formatDuration(MINUTE + 5000).split(' ').length,
    )
  })

  test('describe past and future', () => {
    expect(translator.formatTimeAgo(0, 5 * MINUTE)).toBe(new Intl.RelativeTimeFormat(language).format(-5, 'minute'))
    expect(translator.formatTimeAgo(1000, 0)).toBe(translator.formatTimeAgo(0, 1000))
  })
})

test('a date in Korean has no English word', () => {
  const evening = new Date(2026, 10, 19, 20, 34, 26).getTime()
  expect(createTranslator('ko').formatDateTime(evening)).toBe('2026. 11. 19. 20:34:26')
  expect(createTranslator('ko', 'ko-KR').formatDateTime(evening)).toBe('2026. 11. 19. 20:34:26')
  expect(createTranslator('en').formatDateTime(evening)).toMatch(/8:34:26\sPM/)
})

test('sizes use a fitting unit', () => {
  const { formatBytes } = createTranslator('en')
  expect([0, 1, 999, 1000, 1_048_576, 327_155_712, 5e12].map(formatBytes)).toEqual([
    '0 bytes',
    '1 byte',
    '999 bytes',
    '1 kB',
    '1 MB',
    '327.2 MB',
    '5 TB',
  ])
})

test('a duration in English', () => {
  const { formatDuration } = createTranslator('en')
  expect([12, 3400, 45_000, 125_000, 7_500_000, 90_000_000].map(formatDuration)).toEqual([
    '12ms',
    '3.4s',
    '45s',
    '2m 5s',
    '2h 5m',
    '1d 1h',
  ])
})
