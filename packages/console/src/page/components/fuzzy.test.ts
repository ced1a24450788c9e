import { expect, test } from 'vitest'

import { scoreMatch } from './fuzzy.js'

const best = (query: string, ...texts: readonly string[]): readonly string[] =>
  texts
    .flatMap((text) => {
      const score = scoreMatch(query, text)
      return score === undefined ? [] : [{ text, score }]
    })
    .sort((a, b) => b.score - a.score)
    .map(({ text }) => text)

test('letters must occur in order', () => {
  expect(best('npt', 'npm test', 'test npm', 'pnt')).toEqual(['npm test'])
  expect(scoreMatch('xyz', 'npm test')).toBeUndefined()
})

test('every word of the query must occur, in any order', () => {
  expect(best('test npm', 'npm test', 'npm run build')).toEqual(['npm test'])
})

test('word starts and letters side by side come first, then the shorter text', () => {
  expect(best('job', 'jumbo bag', 'Job 3', 'the job list')).toEqual(['Job 3', 'the job list', 'jumbo bag'])
  expect(best('dark', 'Theme: Dark', 'Theme: Dark, and more of it')).toEqual([
    'Theme: Dark',
    'Theme: Dark, and more of it',
  ])
  // The later occurrence is the better one.
  expect(best('cat', 'coat cat', 'coat')[0]).toBe('coat cat')
})

test('case, accents and Arabic vowel marks do not matter; Hangul is not taken apart', () => {
  expect(best('RESUME', 'Résumé')).toEqual(['Résumé'])
  expect(best('خطة', 'خُطَّة')).toEqual(['خُطَّة'])
  expect(best('작업', '백그라운드 작업', '잡업')).toEqual(['백그라운드 작업'])
})

test('an empty query fits everything', () => {
  expect(best(' ', 'a', 'b')).toHaveLength(2)
})
