// Ranking, in particular against irrelevant and spam lists.

import { expect, test } from 'vitest'

import type { SearchHit } from './engine-kit/search-hit.js'
import type { EngineHits } from './merge-hits.js'
import { parseQuery } from './query.js'
import { indexFamilies, rankHits, type RankResult } from './rank-hits.js'

const QUERY = parseQuery('sqlite write ahead log checkpoint')
const TODAY = Date.parse('2026-11-01')

const engine = (id: string, family = id, weight = 1, tier: EngineHits['engine']['tier'] = 'page') => ({
  id,
  family,
  weight,
  tier,
})
const relevantHit = (number: number): SearchHit => ({
  url: `https://site${number}.org/wal`,
  title: `SQLite write-ahead log ${number}`,
  snippet: 'How a checkpoint works.',
  date: null,
})
/** Engines find the same pages in different orders, and one page of their own. */
const honestList = (id: string, turn: number, family = id): EngineHits => ({
  engine: engine(id, family),
  hits: [
    ...[0, 1, 2, 3, 4].map((index) => relevantHit((index + turn) % 5)),
    { ...relevantHit(100 + turn), url: `https://${id}.net/wal` },
  ],
})
const spam = (text: string, tag = ''): readonly SearchHit[] =>
  Array.from({ length: 10 }, (_, index) => ({
    url: `https://cheap${tag}${index}.com/`,
    title: `${text} offer ${index}`,
    snippet: `${text} ${text}`,
    date: null,
  }))
const hostsOf = (lists: readonly EngineHits[], query = QUERY): readonly string[] =>
  rankHits(lists, query, TODAY).pages.map(({ host }) => host)
const isSpam = (host: string): boolean => host.startsWith('cheap')

test('a list without query terms is dropped and reported', () => {
  const lists = [
    honestList('a', 0),
    honestList('b', 1),
    { engine: engine('bad', 'bad', 5), hits: spam('luxury watches') },
  ]
  const { pages, problems } = rankHits(lists, QUERY, TODAY)
  expect(pages.filter(({ host }) => isSpam(host))).toEqual([])
  expect([...problems]).toEqual([['bad', 'off-topic']])
})

test('pages without query terms are kept if several families find them', () => {
  const query = parseQuery('k8s')
  const hits = ['io/docs', 'io/concepts', 'dev/learn'].map((path) => ({
    ...relevantHit(0),
    url: `https://kubernetes.${path}`,
    title: 'Kubernetes',
    snippet: 'Container orchestration',
  }))
  const { pages, problems } = rankHits(
    ['a', 'b'].map((id) => ({ engine: engine(id), hits })),
    query,
    TODAY,
  )
  expect([pages.length, problems.size]).toEqual([3, 0])
  const sameFamily = ['a', 'b'].map((id) => ({ engine: engine(id, 'same'), hits }))
  expect(rankHits(sameFamily, query, TODAY)).toMatchObject<RankResult>({
    pages: [],
    problems: new Map([
      ['a', 'off-topic'],
      ['b', 'off-topic'],
    ]),
  })
})

test('spam that repeats the query ranks after everything that other families agree on', () => {
  const echo = { engine: engine('bad'), hits: spam(QUERY.text) }
  const hosts = hostsOf([echo, honestList('a', 0), honestList('b', 1), honestList('c', 2)])
  expect(hosts.slice(0, 8).filter(isSpam)).toEqual([])
})

test('two spam lists of one family count once', () => {
  const hits = spam(QUERY.text)
  const pair = [
    { engine: engine('bad1', 'bad'), hits },
    { engine: engine('bad2', 'bad'), hits },
  ]
  const hosts = hostsOf([...pair, honestList('a', 0), honestList('b', 1)])
  expect(hosts.slice(0, 5).filter(isSpam)).toEqual([])
  const one = hostsOf([pair[0]!, honestList('a', 0), honestList('b', 1)])
  expect(hosts).toEqual(one)
})

test('a list of a single host has low trust, and a host gets two of the first results', () => {
  const single = {
    engine: engine('bad', 'bad', 1.1),
    hits: Array.from({ length: 10 }, (_, index) => ({
      ...relevantHit(index),
      url: `https://one.com/${index}`,
      title: `SQLite log ${index}`,
    })),
  }
  const { pages, problems } = rankHits([single, honestList('a', 0), honestList('b', 1)], QUERY, TODAY)
  expect(problems.get('bad')).toBe('one-host')
  expect(pages.slice(0, 5).map(({ host }) => host)).not.toContain('one.com')
  // Its other pages fill the remaining places.
  expect(pages.slice(0, 9).filter(({ host }) => host === 'one.com')).toEqual([expect.anything(), expect.anything()])
  expect(pages).toHaveLength(5 + 2 + 10)
})

test('with site: a host gets three of the first results, and other sites none', () => {
  const query = parseQuery('sqlite log site:one.com')
  const hits = Array.from({ length: 6 }, (_, index) => ({
    ...relevantHit(index),
    url: `https://docs.one.com/${index}`,
  }))
  const irrelevant = { ...relevantHit(1), url: 'https://notone.com/1' }
  const { pages, problems } = rankHits([{ engine: engine('a'), hits: [irrelevant, ...hits] }], query, TODAY)
  expect(pages).toHaveLength(6)
  expect([...problems]).toEqual([])
})

test('three families beat three engines of one', () => {
  const page = (url: string): SearchHit => ({ ...relevantHit(7), url, title: `SQLite log at ${url.slice(8, 12)}` })
  const same = ['x1', 'x2', 'x3'].map((id) => ({ engine: engine(id, 'x'), hits: [page('https://many.org/')] }))
  const apart = ['p', 'q', 'r'].map((id) => ({ engine: engine(id), hits: [page('https://wide.org/')] }))
  const { pages } = rankHits([...same, ...apart], QUERY, TODAY)
  expect(pages.map((found) => [found.host, indexFamilies(found).size])).toEqual([
    ['wide.org', 3],
    ['many.org', 1],
  ])
})

test('a vertical engine keeps its trust without agreement', () => {
  const vertical = {
    engine: engine('so', 'so', 0.8, 'vertical'),
    hits: [{ ...relevantHit(50), url: 'https://stackoverflow.com/q/1' }],
  }
  const echo = { engine: engine('bad'), hits: spam(QUERY.text) }
  const hosts = hostsOf([echo, vertical, honestList('a', 0), honestList('b', 1)])
  expect(hosts.indexOf('stackoverflow.com')).toBeLessThan(hosts.findIndex(isSpam))
})

test('the order of the responses does not matter', () => {
  const lists = [
    honestList('a', 0),
    honestList('b', 1),
    honestList('c', 2),
    { engine: engine('bad'), hits: spam(QUERY.text) },
  ]
  expect(hostsOf(lists.toReversed())).toEqual(hostsOf(lists))
})

test('terms are found in other scripts', () => {
  const query = parseQuery('東京の天気予報')
  const hits = [{ ...relevantHit(1), title: '天気予報 - 東京', snippet: '' }]
  expect([...rankHits([{ engine: engine('a'), hits }], query, TODAY).problems]).toEqual([])
  const irrelevant = [{ ...relevantHit(1), title: '腕時計の通販', snippet: '' }]
  expect(rankHits([{ engine: engine('a'), hits: irrelevant }], query, TODAY).problems.get('a')).toBe('off-topic')
})

test('recent pages gain less than one rank for a news query', () => {
  const query = parseQuery('latest sqlite release')
  const pages = [0, 1, 2].map((index) => ({ ...relevantHit(index), title: `latest sqlite release ${index}` }))
  const dated = pages.map((page, index) => ({ ...page, date: index === 2 ? '2026-10-20' : '2019-01-01' }))
  const order = hostsOf([{ engine: engine('a'), hits: dated }], query)
  expect(order).toEqual(['site0.org', 'site1.org', 'site2.org'])
})
