import { afterEach, beforeEach, expect, test, vi } from 'vitest'

import { createThrottle } from './concurrency.js'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('runs at once, then at most once per interval, and once more for the last request', async () => {
  const times: number[] = []
  const start = Date.now()
  const work = createThrottle(100, () => void times.push(Date.now() - start))
  for (let at = 0; at < 1000; at += 7) {
    work.request()
    await vi.advanceTimersByTimeAsync(7)
  }
  await vi.advanceTimersByTimeAsync(1000)
  expect(times[0]).toBe(0)
  expect(times.length).toBeGreaterThanOrEqual(10)
  expect(times.length).toBeLessThanOrEqual(12)
  expect(times.at(-1)).toBeGreaterThan(990)
})

test('never overlaps, and runs again for a request during a run', async () => {
  let running = 0
  let most = 0
  let done = 0
  const work = createThrottle(10, async () => {
    most = Math.max(most, ++running)
    await new Promise((resolve) => setTimeout(resolve, 100))
    running--
    done++
  })
  work.request()
  await vi.advanceTimersByTimeAsync(50)
  work.request()
  work.request()
  await vi.advanceTimersByTimeAsync(1000)
  expect([most, done]).toEqual([1, 2])
})

test('does not run after stop', async () => {
  let done = 0
  const work = createThrottle(10, () => void done++)
  work.request()
  work.request()
  work.stop()
  await vi.advanceTimersByTimeAsync(1000)
  work.request()
  await vi.advanceTimersByTimeAsync(1000)
  expect(done).toBe(1)
})
