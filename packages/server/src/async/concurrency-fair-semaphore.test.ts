import { expect, test } from 'vitest'

import { createFairSemaphore } from './concurrency.js'

const NEVER = new AbortController().signal

test('a free slot goes to the owner with the fewest, then to the longest waiting request', async () => {
  const semaphore = createFairSemaphore(2)
  const order: string[] = []
  const releases: (() => void)[] = []
  const acquire = async (owner: string, name: string): Promise<void> => {
    const release = await semaphore.acquire(owner, NEVER)
    order.push(name)
    if (release) releases.push(release)
  }
  const all = ['a1', 'a2', 'a3', 'a4', 'b1', 'c1', 'b2'].map((name) => acquire(name.charAt(0), name))
  expect(semaphore.waitingCount('a')).toBe(2)
  for (let count = 0; count < all.length; count++) {
    await Promise.resolve()
    await new Promise((resolve) => setImmediate(resolve))
    releases.shift()?.()
  }
  await Promise.all(all)
  expect(order).toEqual(['a1', 'a2', 'b1', 'a3', 'c1', 'a4', 'b2'])
  expect(semaphore.waitingCount('a')).toBe(0)
})

test('an aborted request leaves the queue', async () => {
  const semaphore = createFairSemaphore(1)
  const release = await semaphore.acquire('a', NEVER)
  const controller = new AbortController()
  const waiting = semaphore.acquire('b', controller.signal)
  controller.abort()
  expect(await waiting).toBeUndefined()
  expect(semaphore.waitingCount('b')).toBe(0)
  release?.()
  release?.()
  expect(await semaphore.acquire('b', NEVER)).toBeDefined()
})
