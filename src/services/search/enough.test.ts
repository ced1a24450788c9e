// When there is enough, told by a clock that the test turns.

import { afterEach, beforeEach, expect, test, vi } from 'vitest'

import { enough, LIMITS, type Runner } from './enough.js'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const after = (ms: number, family: string, isHelpful = true): Runner => ({
  family,
  done: new Promise((resolve) => setTimeout(resolve, ms, isHelpful)),
})
const never = (family: string): Runner => ({ family, done: new Promise(() => {}) })

/** How long it waits. */
async function waited(runners: readonly Runner[], hedge: () => readonly Runner[] = () => []): Promise<number> {
  const start = Date.now()
  let end: number | undefined
  void enough(runners, LIMITS, hedge, new AbortController().signal).then(() => (end = Date.now()))
  await vi.advanceTimersByTimeAsync(10_000)
  if (end === undefined) throw new Error('it never ends')
  expect(vi.getTimerCount()).toBe(0)
  return end - start
}

test('five engines of three families, and a moment more', async () => {
  const five = ['a', 'a', 'a', 'b', 'c'].map((family, index) => after(100 * (index + 1), family))
  expect(await waited([...five, never('d'), never('e')])).toBe(800)
})

test('five engines of two families are not enough until the soft limit', async () => {
  const five = ['a', 'a', 'a', 'b', 'b'].map((family) => after(100, family))
  expect(await waited([...five, never('d')])).toBe(2500)
})

test('one family is waited for company until the hard limit', async () => {
  expect(await waited([after(100, 'a'), never('b'), never('c')])).toBe(6000)
  expect(await waited([after(100, 'a'), after(3000, 'b'), never('c')])).toBe(3000)
})

test('where all have failed nobody waits', async () => {
  expect(await waited([after(10, 'a', false), after(20, 'b', false)])).toBe(20)
  expect(await waited([])).toBe(0)
})

test('where few are asked few are enough', async () => {
  expect(await waited([after(100, 'a')])).toBe(100)
  expect(await waited([after(100, 'a'), after(200, 'b'), never('c')])).toBe(2500)
})

test('what does not help does not count', async () => {
  const five = ['a', 'b', 'c', 'd', 'e'].map((family) => after(100, family, false))
  expect(await waited([...five, never('f')], () => [])).toBe(6000)
})

test('spares are asked at 900 ms where fewer than two families have answered, and only then', async () => {
  const hedge = vi.fn(() => [after(100, 'spare')])
  expect(await waited([after(100, 'a'), never('b')], hedge)).toBe(2500)
  expect(hedge).toHaveBeenCalledTimes(1)
  hedge.mockClear()
  expect(await waited([after(100, 'a'), after(100, 'b'), never('c')], hedge)).toBe(2500)
  expect(hedge).not.toHaveBeenCalled()
})

test('who gives up is let go at once', async () => {
  const controller = new AbortController()
  const waiting = enough([never('a')], LIMITS, () => [], controller.signal)
  controller.abort(new Error('enough of it'))
  await expect(waiting).rejects.toThrow('enough of it')
  await expect(enough([never('a')], LIMITS, () => [], controller.signal)).rejects.toThrow('enough of it')
  expect(vi.getTimerCount()).toBe(0)
})
