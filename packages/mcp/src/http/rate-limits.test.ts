import { expect, test } from 'vitest'

import { createRateLimits } from './rate-limits.js'

test('limits one user, with the seconds to wait, and not the others', () => {
  let time = 0
  const limits = createRateLimits({ rate: 10, burst: 5, maxStreams: 0 }, () => time)
  for (let round = 0; round < 5; round++) expect(limits.countRequest('ada')).toBeUndefined()
  expect(limits.countRequest('ada')).toEqual({ retryAfterSeconds: 1 })
  expect(limits.countRequest('bob')).toBeUndefined()
  time = 100
  expect(limits.countRequest('ada')).toBeUndefined()
})

test('counts open streams per user', () => {
  const limits = createRateLimits({ rate: 0, burst: 1, maxStreams: 2 }, () => 0)
  expect([
    limits.acquireSlot('ada'),
    limits.acquireSlot('ada'),
    limits.acquireSlot('ada'),
    limits.acquireSlot('bob'),
  ]).toEqual([true, true, false, true])
  limits.releaseSlot('ada')
  expect([limits.acquireSlot('ada'), limits.acquireSlot('ada')]).toEqual([true, false])
  for (const user of ['ada', 'ada', 'bob', 'unknown']) limits.releaseSlot(user)
  expect(limits.size).toBe(0)
})

test('0 streams means no limit', () => {
  const limits = createRateLimits({ rate: 0, burst: 1, maxStreams: 0 }, () => 0)
  for (let round = 0; round < 2000; round++) expect(limits.acquireSlot('ada')).toBe(true)
})

test('an address may fail twenty times, then once a second', () => {
  let time = 0
  const limits = createRateLimits({ rate: 0, burst: 1, maxStreams: 0 }, () => time)
  for (let round = 0; round < 20; round++) expect(limits.countFailedLogin('192.0.2.1')).toBeUndefined()
  expect(limits.countFailedLogin('192.0.2.1')).toEqual({ retryAfterSeconds: 1 })
  expect(limits.countFailedLogin('192.0.2.2')).toBeUndefined()
  time = 1000
  expect(limits.countFailedLogin('192.0.2.1')).toBeUndefined()
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
  const limits = createRateLimits({ rate: 0, burst: 1, maxStreams: 0 }, () => 0)
  for (let round = 0; round < 20; round++) limits.countFailedLogin(one)
  expect(limits.countFailedLogin(other) !== undefined).toBe(shared)
})

test('memory is bounded for requests from many addresses', () => {
  let time = 0
  const limits = createRateLimits({ rate: 1, burst: 1, maxStreams: 10 }, () => time)
  for (let n = 0; n < 50_000; n++)
    limits.countFailedLogin(`2001:db8:${(n >> 8).toString(16)}:${(n & 255).toString(16)}::1`)
  for (let n = 0; n < 150_000; n++) limits.countRequest(`user-${n}`)
  expect(limits.size).toBeLessThanOrEqual(110_000)
  for (time = 60_000; time <= 120_000; time += 30_000) {
    limits.countRequest(`ada at ${time}`)
    limits.countFailedLogin('192.0.2.1')
  }
  expect(limits.size).toBeLessThanOrEqual(3)
})

test('uses the monotonic clock by default', () => {
  const limits = createRateLimits({ rate: 1, burst: 1, maxStreams: 0 })
  expect([limits.countRequest('a'), limits.countRequest('a')]).toEqual([undefined, { retryAfterSeconds: 1 }])
})
