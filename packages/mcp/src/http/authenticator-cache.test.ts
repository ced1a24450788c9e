import { expect, test } from 'vitest'

import { createAuthResultCache } from './authenticator.js'

test('caches a result for a minute, and not beyond its expiry', () => {
  let time = 1000
  const verdicts = createAuthResultCache<string>(() => time)
  verdicts.set('long', 'a', 1_000_000)
  verdicts.set('short', 'b', 2000)
  verdicts.set('over', 'c', 1000)
  expect(['long', 'short', 'over', 'none'].map((key) => verdicts.get(key))).toEqual(['a', 'b', undefined, undefined])
  time = 2000
  expect(verdicts.get('short')).toBeUndefined()
  time = 60_999
  expect(verdicts.get('long')).toBe('a')
  time = 61_000
  expect(verdicts.get('long')).toBeUndefined()
})

test('drops an entry if the clock is set back', () => {
  let time = 100_000
  const verdicts = createAuthResultCache<string>(() => time)
  verdicts.set('a', 'a', 1_000_000)
  time = 0
  expect(verdicts.get('a')).toBeUndefined()
  time = 100_000
  expect(verdicts.get('a')).toBeUndefined()
})

test('drops the oldest entries; setting an entry again makes it new', () => {
  const verdicts = createAuthResultCache<number>(() => 0)
  for (let key = 0; key < 1000; key++) verdicts.set(String(key), key, 1)
  verdicts.set('0', 0, 1)
  verdicts.set('1000', 1000, 1)
  expect(['0', '1', '2', '1000'].map((key) => verdicts.get(key))).toEqual([0, undefined, 2, 1000])
})
