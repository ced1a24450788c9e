import { expect, test } from 'vitest'

import { createPageCache, type Kept } from './page-cache.js'

const MINUTE = 60_000

const kept = (bytes: number, headers: Record<string, string> = {}, way: 'http' | 'browser' = 'http'): Kept => ({
  copy: {
    asked: 'https://example.com/',
    url: 'https://example.com/',
    status: 200,
    headers: new Headers(headers),
    contentType: 'text/html',
    bytes: Buffer.alloc(bytes),
    way,
    cut: undefined,
    waitedMs: 0,
  },
  verdict: { status: 'ok', seen: '', scripts: 'no' },
  readings: new Map(),
  notes: [],
})

test('what was used least recently goes first, and nothing is kept beyond the bound', () => {
  const cache = createPageCache(() => 0, 100)
  cache.put('a', kept(40))
  cache.put('b', kept(40))
  expect(cache.get('a')).toBeDefined()
  cache.put('c', kept(40))
  expect(['a', 'b', 'c'].filter((key) => cache.get(key))).toEqual(['a', 'c'])
  cache.put('huge', kept(101))
  expect(['a', 'c', 'huge'].filter((key) => cache.get(key))).toEqual([])
})

test('fresh as long as the server says, then there to be asked for again', () => {
  let now = 0
  const cache = createPageCache(() => now)
  cache.put('tagged', kept(1, { 'cache-control': 'max-age=10', etag: '"1"' }))
  expect(cache.get('tagged')?.isFresh).toBe(true)
  now = 11_000
  expect(cache.get('tagged')).toMatchObject({ isFresh: false, ageMs: 11_000 })
  cache.renew('tagged', new Headers({ 'cache-control': 'max-age=20' }))
  now = 30_000
  expect(cache.get('tagged')?.isFresh).toBe(true)
  now = 60 * MINUTE
  expect(cache.get('tagged')?.isFresh).toBe(false)
})

test.each([
  ['what must not be stored', kept(1, { 'cache-control': 'no-store', etag: '"1"' })],
  ['what cannot be asked for again', kept(1)],
  ['what a browser made', kept(1, { etag: '"1"' }, 'browser')],
])('%s is there for who is reading it, and then no more', (_, page) => {
  let now = 0
  const cache = createPageCache(() => now)
  cache.put('page', page)
  now = 5 * MINUTE
  expect(cache.get('page')?.isFresh).toBe(false)
  now = 11 * MINUTE
  expect(cache.get('page')).toBeUndefined()
})
