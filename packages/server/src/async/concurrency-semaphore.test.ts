import fc from 'fast-check'
import { expect, test } from 'vitest'

import { createSemaphore } from './concurrency.js'

const unaborted = new AbortController().signal

test('never exceeds the limit and serves waiters in order', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 4 }), fc.array(fc.nat(3), { maxLength: 20 }), async (atOnce, waits) => {
      const turns = createSemaphore(atOnce)
      const begun: number[] = []
      let now = 0
      let most = 0
      await Promise.all(
        waits.map(async (ticks, index) => {
          const release = await turns.acquire(unaborted)
          begun.push(index)
          most = Math.max(most, ++now)
          for (let tick = 0; tick < ticks; tick++) await Promise.resolve()
          now--
          release?.()
          release?.()
        }),
      )
      expect(begun).toEqual(waits.map((_, index) => index))
      expect(most).toBeLessThanOrEqual(atOnce)
    }),
  )
})

test('an aborted waiter does not block the queue', async () => {
  const turns = createSemaphore(1)
  const release = await turns.acquire(unaborted)
  const leaving = new AbortController()
  const [second, third] = [turns.acquire(leaving.signal), turns.acquire(unaborted)]
  leaving.abort()
  expect(await second).toBeUndefined()
  release?.()
  expect(await third).toBeDefined()
  expect(await turns.acquire(AbortSignal.abort())).toBeUndefined()
})
