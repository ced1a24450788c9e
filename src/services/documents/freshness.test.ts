import { expect, test } from 'vitest'

import { freshnessOf, validatorsOf } from './freshness.js'

const MINUTE = 60_000

test.each([
  ['nothing said', {}, MINUTE],
  ['a short time', { 'cache-control': 'public, max-age=30' }, 30_000],
  ['a long time, of which some is over', { 'cache-control': 'max-age=100', age: '90' }, 10_000],
  ['longer than we believe', { 'cache-control': 'max-age=31536000, immutable' }, 5 * MINUTE],
  ['to be asked for each time', { 'cache-control': 'no-cache' }, 0],
  ['nonsense', { 'cache-control': 'max-age=soon' }, MINUTE],
  ['until', { expires: 'Mon, 16 Nov 2026 00:02:00 GMT', date: 'Mon, 16 Nov 2026 00:00:00 GMT' }, 2 * MINUTE],
  ['until a date nobody can read', { expires: '0' }, 0],
  ['max-age before expires', { 'cache-control': 'max-age=10', expires: '0' }, 10_000],
])('%s', (_, headers, freshMs) => {
  expect(freshnessOf(new Headers(headers))).toEqual({ freshMs, isPassing: false })
})

test('what must not be stored passes', () => {
  expect(freshnessOf(new Headers({ 'cache-control': 'No-Store, max-age=60' }))).toEqual({ freshMs: 0, isPassing: true })
})

test('what the server gave is what it is asked with', () => {
  expect(validatorsOf(new Headers())).toBeUndefined()
  expect(validatorsOf(new Headers({ etag: 'W/"1"', 'last-modified': 'x' }))).toEqual({
    'if-none-match': 'W/"1"',
    'if-modified-since': 'x',
  })
})
