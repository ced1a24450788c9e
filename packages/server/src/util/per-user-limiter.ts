// Limits concurrent work in total, because each page may take as much memory as a page may have, and per user, so that
// one user does not block others.

import { createSemaphore, type Semaphore } from './concurrency.js'

const MAX_TOTAL = 12
const MAX_PER_USER = 4

export interface PerUserLimiter {
  /** Waits for a slot, then runs `work`. Rejects with the signal's reason if it is aborted while waiting. */
  run<T>(user: string, signal: AbortSignal, work: () => Promise<T>): Promise<T>
}

export function createPerUserLimiter(): PerUserLimiter {
  const total = createSemaphore(MAX_TOTAL)
  const queuesByUser = new Map<string, { readonly semaphore: Semaphore; queuesByUser: number }>()

  function acquireQueue(user: string) {
    const queue = queuesByUser.get(user) ?? { semaphore: createSemaphore(MAX_PER_USER), queuesByUser: 0 }
    queuesByUser.set(user, queue)
    queue.queuesByUser++
    return queue
  }

  return {
    async run(user, signal, work) {
      const queue = acquireQueue(user)
      const userSlot = await queue.semaphore.acquire(signal)
      const totalSlot = userSlot && (await total.acquire(signal))
      try {
        if (!totalSlot) throw signal.reason
        return await work()
      } finally {
        totalSlot?.()
        userSlot?.()
        if (--queue.queuesByUser === 0) queuesByUser.delete(user)
      }
    },
  }
}
