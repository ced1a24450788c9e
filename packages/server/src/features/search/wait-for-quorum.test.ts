// The quorum, with fake timers.

import { afterEach, beforeEach, expect, test, vi } from 'vitest'

import { DEFAULT_QUORUM_LIMITS, type PendingEngine, waitForQuorum } from './wait-for-quorum.js'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const after = (ms: number, family: string, isUseful = true): PendingEngine => ({
  family,
  done: new Promise((resolve) => setTimeout(resolve, ms, isUseful)),
})
const never = (family: string): PendingEngine => ({ family, done: new Promise(() => {}) })

/** Milliseconds until the quorum. */
async function waitTime(
  runners: readonly PendingEngine[],
  hedge: () => readonly PendingEngine[] = () => [],
): Promise<number> {
  const start = Date.now()
  let end: number | undefined
  void waitForQuorum(runners, DEFAULT_QUORUM_LIMITS, hedge, new AbortController().signal).then(() => (end = Date.now()))
  await vi.advanceTimersByTimeAsync(10_000)
  if (end === undefined) throw new Error('it never ends')
  expect(vi.getTimerCount()).toBe(0)
  return end - start
}

test('five engines of three families are a quorum, after the grace period', async () => {
  const five = ['a', 'a', 'a', 'b', 'c'].map((family, index) => after(100 * (index + 1), family))
  expect(await waitTime([...five, never('d'), never('e')])).toBe(800)
})

test('five engines of two families are not enough until the soft limit', async () => {
  const five = ['a', 'a', 'a', 'b', 'b'].map((family) => after(100, family))
  expect(await waitTime([...five, never('d')])).toBe(2500)
})

test('a single family is not enough until the hard limit', async () => {
  expect(await waitTime([after(100, 'a'), never('b'), never('c')])).toBe(6000)
  expect(await waitTime([after(100, 'a'), after(3000, 'b'), never('c')])).toBe(3000)
})

test('the wait ends when all engines have failed', async () => {
  expect(await waitTime([after(10, 'a', false), after(20, 'b', false)])).toBe(20)
  expect(await waitTime([])).toBe(0)
})

test('with few engines the quorum is smaller', async () => {
  expect(await waitTime([after(100, 'a')])).toBe(100)
  expect(await waitTime([after(100, 'a'), after(200, 'b'), never('c')])).toBe(2500)
})

test('unusable responses do not count', async () => {
  const five = ['a', 'b', 'c', 'd', 'e'].map((family) => after(100, family, false))
  expect(await waitTime([...five, never('f')], () => [])).toBe(6000)
})

test('fallbacks start at 900 ms if fewer than two families have responded, and only then', async () => {
  const hedge = vi.fn(() => [after(100, 'spare')])
  expect(await waitTime([after(100, 'a'), never('b')], hedge)).toBe(2500)
  expect(hedge).toHaveBeenCalledTimes(1)
  hedge.mockClear()
  expect(await waitTime([after(100, 'a'), after(100, 'b'), never('c')], hedge)).toBe(2500)
  expect(hedge).not.toHaveBeenCalled()
})

test('an abort ends the wait at once', async () => {
  const controller = new AbortController()
  const waiting = waitForQuorum([never('a')], DEFAULT_QUORUM_LIMITS, () => [], controller.signal)
  controller.abort(new Error('enough of it'))
  await expect(waiting).rejects.toThrow('enough of it')
  await expect(waitForQuorum([never('a')], DEFAULT_QUORUM_LIMITS, () => [], controller.signal)).rejects.toThrow(
    'enough of it',
  )
  expect(vi.getTimerCount()).toBe(0)
})
