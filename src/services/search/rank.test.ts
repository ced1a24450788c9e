// A list that lies must not win.

import { expect, test } from 'vitest'

import type { Hit } from './hit.js'
import type { List } from './merge.js'
import { readQuery } from './query.js'
import { familiesOf, rank } from './rank.js'

const QUERY = readQuery('sqlite write ahead log checkpoint')
const TODAY = Date.parse('2026-11-01')

const engine = (id: string, family = id, weight = 1, tier: List['engine']['tier'] = 'page') => ({
  id,
  family,
  weight,
  tier,
})
const good = (number: number): Hit => ({
  url: `https://site${number}.org/wal`,
  title: `SQLite write-ahead log ${number}`,
  snippet: 'How a checkpoint works.',
  date: null,
})
/** Each engine finds the same pages in another order, and one of its own. */
const honest = (id: string, turn: number, family = id): List => ({
  engine: engine(id, family),
  hits: [
    ...[0, 1, 2, 3, 4].map((index) => good((index + turn) % 5)),
    { ...good(100 + turn), url: `https://${id}.net/wal` },
  ],
})
const poison = (words: string, tag = ''): readonly Hit[] =>
  Array.from({ length: 10 }, (_, index) => ({
    url: `https://cheap${tag}${index}.com/`,
    title: `${words} offer ${index}`,
    snippet: `${words} ${words}`,
    date: null,
  }))
const hostsOf = (lists: readonly List[], query = QUERY): readonly string[] =>
  rank(lists, query, TODAY).pages.map(({ host }) => host)
const isPoison = (host: string): boolean => host.startsWith('cheap')

test('a list without a word of the query is left out and said to be suspect', () => {
  const lists = [honest('a', 0), honest('b', 1), { engine: engine('bad', 'bad', 5), hits: poison('luxury watches') }]
  const { pages, suspects } = rank(lists, QUERY, TODAY)
  expect(pages.filter(({ host }) => isPoison(host))).toEqual([])
  expect([...suspects]).toEqual([['bad', 'off-topic']])
})

test('an answer without a word of the question is kept where several families have it', () => {
  const query = readQuery('k8s')
  const hits = ['io/docs', 'io/concepts', 'dev/learn'].map((path) => ({
    ...good(0),
    url: `https://kubernetes.${path}`,
    title: 'Kubernetes',
    snippet: 'Container orchestration',
  }))
  const { pages, suspects } = rank(
    ['a', 'b'].map((id) => ({ engine: engine(id), hits })),
    query,
    TODAY,
  )
  expect([pages.length, suspects.size]).toEqual([3, 0])
  const sisters = ['a', 'b'].map((id) => ({ engine: engine(id, 'same'), hits }))
  expect(rank(sisters, query, TODAY)).toMatchObject({
    pages: [],
    suspects: new Map([
      ['a', 'off-topic'],
      ['b', 'off-topic'],
    ]),
  })
})

test('poison that repeats the query in every line comes after everything that others agree on', () => {
  const echo = { engine: engine('bad'), hits: poison(QUERY.text) }
  const hosts = hostsOf([echo, honest('a', 0), honest('b', 1), honest('c', 2)])
  expect(hosts.slice(0, 8).filter(isPoison)).toEqual([])
})

test('two poisoned engines of one family are one voice', () => {
  const hits = poison(QUERY.text)
  const pair = [
    { engine: engine('bad1', 'bad'), hits },
    { engine: engine('bad2', 'bad'), hits },
  ]
  const hosts = hostsOf([...pair, honest('a', 0), honest('b', 1)])
  expect(hosts.slice(0, 5).filter(isPoison)).toEqual([])
  const one = hostsOf([pair[0]!, honest('a', 0), honest('b', 1)])
  expect(hosts).toEqual(one)
})

test('a list of one host counts little, and a host has two places on the first page', () => {
  const single = {
    engine: engine('bad', 'bad', 1.1),
    hits: Array.from({ length: 10 }, (_, index) => ({
      ...good(index),
      url: `https://one.com/${index}`,
      title: `SQLite log ${index}`,
    })),
  }
  const { pages, suspects } = rank([single, honest('a', 0), honest('b', 1)], QUERY, TODAY)
  expect(suspects.get('bad')).toBe('one-host')
  expect(pages.slice(0, 5).map(({ host }) => host)).not.toContain('one.com')
  // The rest of it fills up what is left.
  expect(pages.slice(0, 9).filter(({ host }) => host === 'one.com')).toEqual([expect.anything(), expect.anything()])
  expect(pages).toHaveLength(5 + 2 + 10)
})

test('with site: three of a host may be on the first page, and nothing of another', () => {
  const query = readQuery('sqlite log site:one.com')
  const hits = Array.from({ length: 6 }, (_, index) => ({ ...good(index), url: `https://docs.one.com/${index}` }))
  const stray = { ...good(1), url: 'https://notone.com/1' }
  const { pages, suspects } = rank([{ engine: engine('a'), hits: [stray, ...hits] }], query, TODAY)
  expect(pages).toHaveLength(6)
  expect(suspects.size).toBe(0)
})

test('three families beat three engines of one', () => {
  const page = (url: string): Hit => ({ ...good(7), url, title: `SQLite log at ${url.slice(8, 12)}` })
  const same = ['x1', 'x2', 'x3'].map((id) => ({ engine: engine(id, 'x'), hits: [page('https://many.org/')] }))
  const apart = ['p', 'q', 'r'].map((id) => ({ engine: engine(id), hits: [page('https://wide.org/')] }))
  const { pages } = rank([...same, ...apart], QUERY, TODAY)
  expect(pages.map((found) => [found.host, familiesOf(found).size])).toEqual([
    ['wide.org', 3],
    ['many.org', 1],
  ])
})

test('a vertical that nobody else agrees with is heard all the same', () => {
  const vertical = {
    engine: engine('so', 'so', 0.8, 'vertical'),
    hits: [{ ...good(50), url: 'https://stackoverflow.com/q/1' }],
  }
  const echo = { engine: engine('bad'), hits: poison(QUERY.text) }
  const hosts = hostsOf([echo, vertical, honest('a', 0), honest('b', 1)])
  expect(hosts.indexOf('stackoverflow.com')).toBeLessThan(hosts.findIndex(isPoison))
})

test('the order in which engines answer changes nothing', () => {
  const lists = [honest('a', 0), honest('b', 1), honest('c', 2), { engine: engine('bad'), hits: poison(QUERY.text) }]
  expect(hostsOf(lists.toReversed())).toEqual(hostsOf(lists))
})

test('words are found in other scripts too', () => {
  const query = readQuery('東京の天気予報')
  const hits = [{ ...good(1), title: '天気予報 - 東京', snippet: '' }]
  expect(rank([{ engine: engine('a'), hits }], query, TODAY).suspects.size).toBe(0)
  const stray = [{ ...good(1), title: '腕時計の通販', snippet: '' }]
  expect(rank([{ engine: engine('a'), hits: stray }], query, TODAY).suspects.get('a')).toBe('off-topic')
})

test('news that were asked for come one step earlier, no more', () => {
  const query = readQuery('latest sqlite release')
  const pages = [0, 1, 2].map((index) => ({ ...good(index), title: `latest sqlite release ${index}` }))
  const dated = pages.map((page, index) => ({ ...page, date: index === 2 ? '2026-10-20' : '2019-01-01' }))
  const order = hostsOf([{ engine: engine('a'), hits: dated }], query)
  expect(order).toEqual(['site0.org', 'site1.org', 'site2.org'])
})
