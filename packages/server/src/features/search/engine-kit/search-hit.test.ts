// Parsing of hits: URLs, text and dates.

import { expect, test } from 'vitest'

import { parseDay, parseHit } from './search-hit.js'

const URL_FOUND = 'https://example.org/a'

test('only public HTTP(S) URLs are hits', () => {
  for (const url of [
    'javascript:alert(1)',
    'https://bank.com@evil.org/',
    'http://localhost/x',
    '/a',
    '',
    7,
    null,
    `https://a.org/${'x'.repeat(3000)}`,
  ]) {
    expect(parseHit({ url, title: 'x' }), String(url)).toBeUndefined()
  }
})

test('text is a single line without invisible characters, and limited in length', () => {
  const hit = parseHit({ url: URL_FOUND, title: ' a\n\u202eb\u200b\u0007 ', snippet: 'word '.repeat(1000) })
  expect(hit?.title).toBe('a b')
  expect(hit?.snippet).toHaveLength(300)
  expect(parseHit({ url: URL_FOUND, title: { x: 1 }, snippet: 9 })).toMatchObject({ title: 'example.org', snippet: '' })
})

test('a leading date of a snippet becomes its date', () => {
  for (const lead of ['Mar 13, 2026 · ', 'March 13, 2026 - ', '13 Mar 2026 ... ', '13 March 2026 — ']) {
    expect(parseHit({ url: URL_FOUND, title: 'x', snippet: `${lead}What it is` }), lead).toMatchObject({
      date: '2026-03-13',
      snippet: 'What it is',
    })
  }
  expect(parseHit({ url: URL_FOUND, title: 'x', snippet: 'Version 3, 2026 - new' })).toMatchObject({ date: null })
  const ahead = 'Jan 5, 2099 — The day of the launch'
  expect(parseHit({ url: URL_FOUND, title: 'x', snippet: ahead })).toMatchObject({ date: null, snippet: ahead })
})

test.each([
  ['2026-03-13', '2026-03-13'],
  ['2026-03-13T23:59:59+02:00', '2026-03-13'],
  ['2026-03', '2026-03-01'],
  ['Mar 13, 2026', '2026-03-13'],
  ['Fri, 13 Mar 2026 10:00:00 GMT', '2026-03-13'],
  [1_773_360_000, '2026-03-13'],
  [1_773_360_000_000, '2026-03-13'],
  ['2026/03/13', '2026-03-13'],
  ['yesterday', null],
  // Future days and invalid dates.
  ['2026-11-18', '2026-11-18'],
  ['2026-11-19', null],
  ['Jan 5, 2031', null],
  [4_000_000_000, null],
  ['2026-02-31', null],
  ['2026-13-45', null],
  ['0000-00-00', null],
  [Number.NaN, null],
  [1e300, null],
  [{}, null],
  [undefined, null],
])('the day of %j', (given, day) => {
  expect(parseDay(given, Date.parse('2026-11-16T12:00:00Z'))).toBe(day)
})
