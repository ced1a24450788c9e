import { afterEach, beforeEach, expect, test, vi } from 'vitest'

import { createIdleCollector } from './collect-when-idle.js'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('garbage is collected once, after an interval without a call', () => {
  const collect = vi.fn<() => void>()
  const noteCall = createIdleCollector({ checkIntervalMs: 1000, collect })
  for (let count = 0; count < 10; count++) {
    noteCall()
    vi.advanceTimersByTime(700)
  }
  expect(collect).not.toHaveBeenCalled()
  vi.advanceTimersByTime(2000)
  expect(collect).toHaveBeenCalledTimes(1)
  vi.advanceTimersByTime(60_000)
  expect(collect).toHaveBeenCalledTimes(1)
  expect(vi.getTimerCount()).toBe(0)
})

test('the next calls are followed by another collection', () => {
  const collect = vi.fn<() => void>()
  const noteCall = createIdleCollector({ checkIntervalMs: 1000, collect })
  for (let count = 1; count <= 3; count++) {
    noteCall()
    vi.advanceTimersByTime(5000)
    expect(collect).toHaveBeenCalledTimes(count)
  }
})
