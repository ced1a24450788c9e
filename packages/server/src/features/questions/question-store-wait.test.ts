import { afterEach, beforeEach, expect, test, vi } from 'vitest'

import { waitForPresence, waitUntilAnswered } from './question-store.js'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function waiting(timeoutMs: number, graceMs = 60) {
  const listeners = new Set<() => void>()
  const controller = new AbortController()
  const checks = { isOver: false, isWatched: true, looks: 0, isDone: false }
  const notifyChange = (change: Partial<typeof checks> = {}): void => {
    Object.assign(checks, change)
    for (const listener of listeners) listener()
  }
  const done = waitUntilAnswered({
    isAnswered: async () => {
      checks.looks++
      return checks.isOver
    },
    isUserPresent: () => checks.isWatched,
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    timeoutMs,
    graceMs,
    signal: controller.signal,
  }).finally(() => (checks.isDone = true))
  return { done, seen: checks, changeState: notifyChange, listeners, controller }
}

test('ends with the answer and unsubscribes', async () => {
  const { done, changeState: notifyChange, seen: checks, listeners } = waiting(60_000)
  notifyChange()
  await vi.advanceTimersByTimeAsync(1000)
  expect(checks.isDone).toBe(false)
  notifyChange({ isOver: true })
  await done
  expect([checks.isDone, listeners.size, vi.getTimerCount()]).toEqual([true, 0, 0])
})

test('does not miss a change during a check', async () => {
  const { done, seen: checks, changeState: notifyChange } = waiting(60_000)
  // The first check is in progress.
  notifyChange({ isOver: true })
  await done
  expect(checks.looks).toBeLessThan(4)
})

test('ends after the timeout', async () => {
  const { done, seen: checks } = waiting(30)
  await vi.advanceTimersByTimeAsync(29)
  expect(checks.isDone).toBe(false)
  await vi.advanceTimersByTimeAsync(10)
  await done
})

test('ends when the user is away, but not while a page reloads', async () => {
  const { done, seen: checks, changeState: notifyChange } = waiting(60_000, 300)
  await vi.advanceTimersByTimeAsync(5)
  notifyChange({ isWatched: false })
  await vi.advanceTimersByTimeAsync(299)
  notifyChange({ isWatched: true })
  await vi.advanceTimersByTimeAsync(10_000)
  expect(checks.isDone).toBe(false)
  notifyChange({ isWatched: false })
  await vi.advanceTimersByTimeAsync(299)
  expect(checks.isDone).toBe(false)
  await vi.advanceTimersByTimeAsync(10)
  await done
})

test('throws the abort reason of the call', async () => {
  const { done, controller, listeners } = waiting(60_000)
  await vi.advanceTimersByTimeAsync(5)
  controller.abort(new Error('cancelled'))
  await expect(done).rejects.toThrow('cancelled')
  expect([...listeners]).toEqual([])
})

test('waits for a console as long as one may connect, however long ago the process has started', async () => {
  const listeners = new Set<() => void>()
  const onChange = (listener: () => void) => {
    listeners.add(listener)
    return () => void listeners.delete(listener)
  }
  let isOver = false
  const done = waitForPresence({ onChange, connectsUntil: performance.now() + 60_000 }).then(() => (isOver = true))
  await vi.advanceTimersByTimeAsync(10_000)
  expect(isOver).toBe(false)
  for (const listener of listeners) listener()
  await done
  expect(listeners.size).toBe(0)
  // Nothing is waited for where consoles of other processes cannot connect.
  await waitForPresence({ onChange, connectsUntil: 0 })
})
