import { afterEach, expect, test, vi } from 'vitest'

import { type CachedPage, createPageCache } from './page-cache.js'

const MINUTE = 60_000

afterEach(() => void vi.useRealTimers())

const createPage = (
  bytes: number,
  headers: Record<string, string> = {},
  source: 'http' | 'browser' = 'http',
): CachedPage => ({
  snapshot: {
    requestedUrl: 'https://example.com/',
    finalUrl: 'https://example.com/',
    status: 200,
    headers: new Headers(headers),
    contentType: 'text/html',
    bytes: Buffer.alloc(bytes),
    source,
    truncatedBy: undefined,
    renderWaitMs: 0,
  },
  classification: { status: 'ok', reason: '', browserWouldHelp: 'no' },
  contents: new Map(),
  notes: [],
  quotes: [],
})

test('evicts the least recently used page and stays within the byte limit', () => {
  const cache = createPageCache(() => 0, 100)
  cache.put('a', createPage(40))
  cache.put('b', createPage(40))
  expect(cache.get('a')).toBeDefined()
  cache.put('c', createPage(40))
  expect(['a', 'b', 'c'].filter((key) => cache.get(key))).toEqual(['a', 'c'])
  cache.put('huge', createPage(101))
  expect(['a', 'c', 'huge'].filter((key) => cache.get(key))).toEqual([])
})

test('a page is fresh for its lifetime, then stays available for revalidation', () => {
  let now = 0
  const cache = createPageCache(() => now)
  cache.put('tagged', createPage(1, { 'cache-control': 'max-age=10', etag: '"1"' }))
  expect(cache.get('tagged')?.isFresh).toBe(true)
  now = 11_000
  expect(cache.get('tagged')).toMatchObject({ isFresh: false, ageMs: 11_000 })
  cache.markRevalidated('tagged', new Headers({ 'cache-control': 'max-age=20' }))
  now = 30_000
  expect(cache.get('tagged')?.isFresh).toBe(true)
  now = 60 * MINUTE
  expect(cache.get('tagged')?.isFresh).toBe(false)
})

test.each([
  ['no-store', createPage(1, { 'cache-control': 'no-store', etag: '"1"' })],
  ['without a validator', createPage(1)],
  ['rendered in the browser', createPage(1, { etag: '"1"' }, 'browser')],
])('a page %s stays available for cursors for ten minutes', (_, page) => {
  let now = 0
  const cache = createPageCache(() => now)
  cache.put('page', page)
  now = 5 * MINUTE
  expect(cache.get('page')?.isFresh).toBe(false)
  now = 11 * MINUTE
  expect(cache.get('page')).toBeUndefined()
})

test('a page that is not read for ten minutes takes no memory, also without further calls', () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  const cache = createPageCache(() => performance.now())
  cache.put('one', createPage(1, { etag: '"1"' }))
  vi.advanceTimersByTime(5 * MINUTE)
  cache.put('two', createPage(1))
  vi.advanceTimersByTime(4 * MINUTE)
  expect([cache.get('two')?.page.snapshot.status, cache.size]).toEqual([200, 2])
  vi.advanceTimersByTime(2 * MINUTE)
  expect(cache.size).toBe(1)
  vi.advanceTimersByTime(9 * MINUTE)
  expect([cache.size, vi.getTimerCount()]).toEqual([0, 0])
})
