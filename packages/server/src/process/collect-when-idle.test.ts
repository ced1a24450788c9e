import { getHeapCodeStatistics } from 'node:v8'
import { runInThisContext } from 'node:vm'

import { afterEach, beforeEach, expect, test, vi } from 'vitest'

import { bunVersion } from '@scorpiox/mcp/runtime'
import { createIdleCollector } from './collect-when-idle.js'
import { exposeGarbageCollector } from './garbage-collector.js'

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

test.skipIf(bunVersion() !== undefined)('compiled code is dropped, and compiled again when it is needed', () => {
  const names = Array.from({ length: 24_000 }, (_, index) => `f${index}`)
  const functions = names.map((name, index) => `function ${name}(a) { const b = a + ${index}; return [a, b, { b }] }`)
  const run: unknown = runInThisContext(
    `(() => { ${functions.join('\n')}; return () => [${names.map((name) => `${name}(1)`).join(',')}].length })()`,
  )
  if (typeof run !== 'function') throw new Error('no function')
  for (let count = 0; count < 2; count++) expect(run()).toBe(24_000)
  // Above its limit the heap is left alone, and other tests of this process may have filled it.
  exposeGarbageCollector()()
  const before = getHeapCodeStatistics().bytecode_and_metadata_size
  createIdleCollector({ checkIntervalMs: 1000 }).noteCall()
  vi.advanceTimersByTime(60_000)
  expect(getHeapCodeStatistics().bytecode_and_metadata_size).toBeLessThan(before / 2)
  expect(run()).toBe(24_000)
})
