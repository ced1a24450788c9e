import fc from 'fast-check'
import { expect, test } from 'vitest'

import { createTokenBuckets } from './token-bucket.js'

test('allows a burst, then the refill rate', () => {
  let time = 0
  const buckets = createTokenBuckets({ rate: 2, burst: 3, maxKeys: 10 }, () => time)
  const take = (key: string): number | undefined => buckets.take(key)
  expect([take('a'), take('a'), take('a'), take('a'), take('a')]).toEqual([undefined, undefined, undefined, 0.5, 0.5])
  expect(take('b')).toBeUndefined()
  time = 250
  expect(take('a')).toBe(0.25)
  time = 500
  expect([take('a'), take('a')]).toEqual([undefined, 0.5])
  time = 60_000
  expect([take('a'), take('a'), take('a'), take('a')]).toEqual([undefined, undefined, undefined, 0.5])
})

test('a rate of 0 disables the limit and keeps no state', () => {
  const buckets = createTokenBuckets({ rate: 0, burst: 1, maxKeys: 10 }, () => 0)
  for (let round = 0; round < 100; round++) expect(buckets.take('a')).toBeUndefined()
  expect(buckets.size).toBe(0)
})

test('in any interval at most the burst plus the refill passes', () => {
  const steps = fc.array(fc.integer({ min: 0, max: 2000 }), { minLength: 1, maxLength: 200 })
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 50 }), fc.integer({ min: 1, max: 50 }), steps, (rate, burst, gaps) => {
      let time = 0
      const buckets = createTokenBuckets({ rate, burst, maxKeys: 10 }, () => time)
      let through = 0
      for (const gap of gaps) {
        time += gap
        const wait = buckets.take('a')
        if (wait === undefined) through++
        else expect(wait).toBeLessThanOrEqual(1 / rate)
      }
      expect(through).toBeLessThanOrEqual(burst + (time * rate) / 1000)
    }),
  )
})

test('drops buckets that are full again and keeps the others', () => {
  let time = 0
  const buckets = createTokenBuckets({ rate: 1, burst: 5, maxKeys: 1000 }, () => time)
  for (let key = 0; key < 100; key++) buckets.take(String(key))
  for (time = 0; time < 20_000; time += 100) buckets.take('busy')
  expect(buckets.take('busy')).toBeGreaterThan(0)
  buckets.take('one')
  time = 25_000
  buckets.take('another')
  expect(buckets.size).toBeLessThanOrEqual(3)
})

test('dropping buckets changes no result', () => {
  const acts = fc.array(fc.tuple(fc.nat(2), fc.oneof(fc.constant(0), fc.nat(1500))), { maxLength: 300, size: 'max' })
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 5 }), acts, (rate, burst, steps) => {
      let time = 0
      const buckets = createTokenBuckets({ rate, burst, maxKeys: 1000 }, () => time)
      const remembered = Array.from({ length: 3 }, () => ({ level: burst, at: 0 }))
      for (const [key, gap] of steps) {
        time += gap
        const bucket = remembered[key]!
        bucket.level = Math.min(burst, bucket.level + ((time - bucket.at) * rate) / 1000)
        bucket.at = time
        const goes = bucket.level >= 1
        if (goes) bucket.level -= 1
        expect(buckets.take(String(key)) === undefined).toBe(goes)
      }
    }),
  )
})

test('never keeps more than the maximum and drops the oldest first', () => {
  const buckets = createTokenBuckets({ rate: 1, burst: 1, maxKeys: 100 }, () => 0)
  let most = 0
  for (let key = 0; key < 100_000; key++) {
    buckets.take(String(key))
    most = Math.max(most, buckets.size)
  }
  expect(most).toBe(100)
  expect([buckets.take('99000'), buckets.take('99960')]).toEqual([undefined, 1])
})
