import { afterEach, beforeEach, expect, test, vi } from 'vitest'

import { createIdleCollector } from './collect-when-idle.js'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const ROUNDS = 4

test('garbage is collected in a few rounds, after an interval without a call', () => {
  const collect = vi.fn<() => void>()
  const { noteCall } = createIdleCollector({ checkIntervalMs: 1000, collect })
  for (let count = 0; count < 10; count++) {
    noteCall()
    vi.advanceTimersByTime(700)
  }
  expect(collect).not.toHaveBeenCalled()
  vi.advanceTimersByTime(1300)
  expect(collect).toHaveBeenCalledTimes(1)
  vi.advanceTimersByTime(60_000)
  expect(collect).toHaveBeenCalledTimes(ROUNDS)
  expect(vi.getTimerCount()).toBe(0)
})

test('a call between the rounds ends them, and is followed by all of them', () => {
  const collect = vi.fn<() => void>()
  const { noteCall } = createIdleCollector({ checkIntervalMs: 1000, collect })
  noteCall()
  vi.advanceTimersByTime(2000)
  noteCall()
  vi.advanceTimersByTime(900)
  expect(collect).toHaveBeenCalledTimes(1)
  vi.advanceTimersByTime(10_000)
  expect(collect).toHaveBeenCalledTimes(1 + ROUNDS)
})

test('a collection that takes long is the last one', () => {
  const collect = vi.fn<() => void>(() => void vi.advanceTimersByTime(200))
  const { noteCall } = createIdleCollector({ checkIntervalMs: 1000, collect })
  noteCall()
  vi.advanceTimersByTime(60_000)
  expect(collect).toHaveBeenCalledTimes(1)
})

test('what is registered is released once before each of the collections', () => {
  const order: string[] = []
  const { noteCall, onIdle } = createIdleCollector({ checkIntervalMs: 1000, collect: () => void order.push('collect') })
  const end = onIdle(() => void order.push('release'))
  noteCall()
  vi.advanceTimersByTime(60_000)
  expect(order).toEqual(['release', ...Array<string>(ROUNDS).fill('collect')])
  end()
  noteCall()
  vi.advanceTimersByTime(60_000)
  expect(order.filter((step) => step === 'release')).toHaveLength(1)
})

test('the next calls are followed by another collection', () => {
  const collect = vi.fn<() => void>()
  const { noteCall } = createIdleCollector({ checkIntervalMs: 1000, collect })
  for (let count = 1; count <= 3; count++) {
    noteCall()
    vi.advanceTimersByTime(10_000)
    expect(collect).toHaveBeenCalledTimes(count * ROUNDS)
  }
})
