import { expect, test } from 'vitest'

import { createLimits } from './limits.js'

test('limits one user, with the seconds to wait, and not the others', () => {
  let time = 0
  const limits = createLimits({ rate: 10, burst: 5, maxStreams: 0 }, () => time)
  for (let round = 0; round < 5; round++) expect(limits.take('ada')).toBeUndefined()
  expect(limits.take('ada')).toEqual({ retryAfterSeconds: 1 })
  expect(limits.take('bob')).toBeUndefined()
  time = 100
  expect(limits.take('ada')).toBeUndefined()
})

test('counts open streams per user', () => {
  const limits = createLimits({ rate: 0, burst: 1, maxStreams: 2 }, () => 0)
  expect([limits.enter('ada'), limits.enter('ada'), limits.enter('ada'), limits.enter('bob')]).toEqual([
    true,
    true,
    false,
    true,
  ])
  limits.leave('ada')
  expect([limits.enter('ada'), limits.enter('ada')]).toEqual([true, false])
  for (const user of ['ada', 'ada', 'bob', 'nobody']) limits.leave(user)
  expect(limits.size).toBe(0)
})

test('0 streams means no limit', () => {
  const limits = createLimits({ rate: 0, burst: 1, maxStreams: 0 }, () => 0)
  for (let round = 0; round < 2000; round++) expect(limits.enter('ada')).toBe(true)
})

test('an address may fail twenty times, then once a second', () => {
  let time = 0
  const limits = createLimits({ rate: 0, burst: 1, maxStreams: 0 }, () => time)
  for (let round = 0; round < 20; round++) expect(limits.refused('192.0.2.1')).toBeUndefined()
  expect(limits.refused('192.0.2.1')).toEqual({ retryAfterSeconds: 1 })
  expect(limits.refused('192.0.2.2')).toBeUndefined()
  time = 1000
  expect(limits.refused('192.0.2.1')).toBeUndefined()
})

test.each([
  ['192.0.2.1', '::ffff:192.0.2.1', true],
  ['192.0.2.1', '192.0.2.2', false],
  ['2001:db8:1:2::1', '2001:db8:1:2:ffff:ffff:ffff:ffff', true],
  ['2001:DB8:1:2::1', '2001:db8:1:2:9::', true],
  ['2001:db8:1:2::1', '2001:db8:1:3::1', false],
  ['2001:db8::1', '2001:db8:0:0:5::1', true],
  ['fe80::1%eth0', 'fe80::2', true],
  ['::1', '::2', true],
  ['::1', '127.0.0.1', false],
])('%s and %s share a network: %s', (one, other, shared) => {
  const limits = createLimits({ rate: 0, burst: 1, maxStreams: 0 }, () => 0)
  for (let round = 0; round < 20; round++) limits.refused(one)
  expect(limits.refused(other) !== undefined).toBe(shared)
})

test('memory is bounded for requests from many addresses', () => {
  let time = 0
  const limits = createLimits({ rate: 1, burst: 1, maxStreams: 10 }, () => time)
  for (let n = 0; n < 50_000; n++) limits.refused(`2001:db8:${(n >> 8).toString(16)}:${(n & 255).toString(16)}::1`)
  for (let n = 0; n < 150_000; n++) limits.take(`user-${n}`)
  expect(limits.size).toBeLessThanOrEqual(110_000)
  for (time = 60_000; time <= 120_000; time += 30_000) {
    limits.take(`ada at ${time}`)
    limits.refused('192.0.2.1')
  }
  expect(limits.size).toBeLessThanOrEqual(3)
})

test('uses the monotonic clock by default', () => {
  const limits = createLimits({ rate: 1, burst: 1, maxStreams: 0 })
  expect([limits.take('a'), limits.take('a')]).toEqual([undefined, { retryAfterSeconds: 1 }])
})
