import { expect, test } from 'vitest'

import { buildConditionalHeaders, computeFreshness, type HttpFreshness } from './http-freshness.js'

const MINUTE = 60_000

test.each([
  ['no headers', {}, MINUTE],
  ['max-age', { 'cache-control': 'public, max-age=30' }, 30_000],
  ['max-age and age', { 'cache-control': 'max-age=100', age: '90' }, 10_000],
  ['max-age above the limit', { 'cache-control': 'max-age=31536000, immutable' }, 5 * MINUTE],
  ['no-cache', { 'cache-control': 'no-cache' }, 0],
  ['invalid max-age', { 'cache-control': 'max-age=soon' }, MINUTE],
  ['expires', { expires: 'Mon, 16 Nov 2026 00:02:00 GMT', date: 'Mon, 16 Nov 2026 00:00:00 GMT' }, 2 * MINUTE],
  ['invalid expires', { expires: '0' }, 0],
  ['max-age takes precedence over expires', { 'cache-control': 'max-age=10', expires: '0' }, 10_000],
])('%s', (_, headers, freshMs) => {
  expect(computeFreshness(new Headers(headers))).toEqual({ freshMs, isNoStore: false } satisfies HttpFreshness)
})

test('no-store', () => {
  const expected: HttpFreshness = { freshMs: 0, isNoStore: true }
  expect(computeFreshness(new Headers({ 'cache-control': 'No-Store, max-age=60' }))).toEqual(expected)
})

test('a conditional request repeats the validators of the response', () => {
  expect(buildConditionalHeaders(new Headers())).toBeUndefined()
  expect(buildConditionalHeaders(new Headers({ etag: 'W/"1"', 'last-modified': 'x' }))).toEqual({
    'if-none-match': 'W/"1"',
    'if-modified-since': 'x',
  })
})
