// Hits of the same page are merged, independent of the order of the engines.

import fc from 'fast-check'
import { expect, test } from 'vitest'

import { type EngineHits, mergeHits } from './merge-hits.js'

const hit = (url: string, title: string, more = {}) => ({ url, title, snippet: '', date: null, ...more })
const engine = (id: string, family = id): EngineHits['engine'] => ({ id, family, weight: 1, tier: 'page' })

test('hits of one page are merged', () => {
  const [page, ...others] = mergeHits([
    {
      engine: engine('a'),
      hits: [hit('http://www.example.org/x/', 'How to build a boat - Exam…', { snippet: 'short', date: '2026-03-01' })],
    },
    {
      engine: engine('b'),
      hits: [
        hit('https://example.org/x?utm_source=b', 'How to build a boat', {
          snippet: 'a longer one',
          date: '2025-01-01',
        }),
      ],
    },
  ])
  expect(others).toEqual([])
  expect(page).toMatchObject({
    url: 'https://example.org/x',
    host: 'example.org',
    title: 'How to build a boat',
    snippet: 'a longer one',
    date: '2025-01-01',
    places: [{ rank: 1 }, { rank: 1 }],
  })
})

const count = (...hits: readonly ReturnType<typeof hit>[]): number =>
  mergeHits(hits.map((one, index) => ({ engine: engine(`e${index}`), hits: [one] }))).length

test('equal titles join different URLs of one site', () => {
  expect(count(hit('https://a.org/Js/', 'Arrays'), hit('https://a.org/js/', 'Arrays'))).toBe(1)
  const title = 'How to build a wooden boat'
  expect(count(hit('https://a.org/1', title), hit('https://blog.a.org/boat', title))).toBe(1)
  expect(count(hit('https://a.org/1', title), hit('https://b.org/1', title))).toBe(2)
  expect(count(hit('https://a.github.io/1', title), hit('https://b.github.io/1', title))).toBe(2)
  expect(count(hit('https://a.co.uk/1', title), hit('https://b.co.uk/1', title))).toBe(2)
})

test('titles do not join versions, parts, languages, or pages with short titles', () => {
  expect(
    count(
      hit('https://a.org/3.12/x', 'Python 3.12 library docs'),
      hit('https://a.org/3.13/x', 'Python 3.13 library docs'),
    ),
  ).toBe(2)
  expect(
    count(hit('https://a.org/1', 'Building a boat part 1'), hit('https://a.org/2', 'Building a boat part 2')),
  ).toBe(2)
  const berlin = 'Berlin the free encyclopedia'
  expect(
    count(hit('https://en.wikipedia.org/wiki/Berlin', berlin), hit('https://de.wikipedia.org/wiki/Berlin', berlin)),
  ).toBe(2)
  expect(count(hit('https://a.org/one', 'Documentation'), hit('https://a.org/two', 'Documentation'))).toBe(2)
})

test('a page listed twice by one engine counts once', () => {
  const [page] = mergeHits([{ engine: engine('a'), hits: [hit('https://a.org/x', 'X'), hit('https://a.org/x/', 'X')] }])
  expect(page?.places).toHaveLength(1)
  expect(page?.places[0]?.rank).toBe(1)
})

test('the order of lists changes nothing', () => {
  const hits = fc.record({
    url: fc.constantFrom(
      'https://a.org/x',
      'http://www.a.org/X',
      'https://a.org/x?utm_id=1',
      'https://b.org/',
      'https://c.a.org/y',
    ),
    title: fc.constantFrom(
      'One title of some page',
      'One title of some page…',
      'Another',
      'one title of SOME page',
      '',
    ),
    snippet: fc.string({ maxLength: 8 }),
    date: fc.constantFrom(null, '2026-01-01', '2025-01-01'),
  })
  const lists = fc.array(fc.array(hits, { maxLength: 6 }), { maxLength: 5 })
  fc.assert(
    fc.property(lists, (all) => {
      const given = all.map((list, index) => ({ engine: engine(`e${index}`), hits: list }))
      const sorted = (from: readonly EngineHits[]) =>
        mergeHits(from)
          .map((page) => JSON.stringify(page))
          .toSorted()
      expect(sorted(given.toReversed())).toEqual(sorted(given))
    }),
    { numRuns: 300 },
  )
})
