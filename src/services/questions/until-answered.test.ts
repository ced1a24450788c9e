import { setTimeout as sleep } from 'node:timers/promises'

import { expect, test } from 'vitest'

import { untilAnswered } from './until-answered.js'

function waiting(ms: number, graceMs = 60) {
  const listeners = new Set<() => void>()
  const controller = new AbortController()
  const seen = { isOver: false, isWatched: true, looks: 0, isDone: false }
  const stir = (change: Partial<typeof seen> = {}): void => {
    Object.assign(seen, change)
    for (const listener of listeners) listener()
  }
  const done = untilAnswered({
    look: async () => {
      seen.looks++
      return seen.isOver
    },
    isWatched: () => seen.isWatched,
    onStir(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    ms,
    graceMs,
    signal: controller.signal,
  }).finally(() => (seen.isDone = true))
  return { done, seen, stir, listeners, controller }
}

test('ends with the answer, and listens to nothing any more', async () => {
  const { done, stir, seen, listeners } = waiting(60_000)
  stir()
  await sleep(5)
  expect(seen.isDone).toBe(false)
  stir({ isOver: true })
  await done
  expect([seen.isDone, listeners.size]).toEqual([true, 0])
})

test('what stirs while it looks is not missed', async () => {
  const { done, seen, stir } = waiting(60_000)
  // The first check is in progress.
  stir({ isOver: true })
  await done
  expect(seen.looks).toBeLessThan(4)
})

test('ends when the time is up', async () => {
  const { done } = waiting(30)
  await done
})

test('ends when nobody looks any more, but not while a page is loaded again', async () => {
  const { done, seen, stir } = waiting(60_000, 300)
  await sleep(5)
  stir({ isWatched: false })
  await sleep(20)
  stir({ isWatched: true })
  await sleep(500)
  expect(seen.isDone).toBe(false)
  stir({ isWatched: false })
  await done
})

test('throws what stopped the call', async () => {
  const { done, controller, listeners } = waiting(60_000)
  setTimeout(() => controller.abort(new Error('cancelled')), 5)
  await expect(done).rejects.toThrow('cancelled')
  expect(listeners.size).toBe(0)
})
