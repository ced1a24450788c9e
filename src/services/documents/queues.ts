// Limits concurrent work in total, because each page may take as much memory as a page may have, and per user, so that
// one user does not block others.

import { createTurns, type Turns } from '../../lib/turns.js'

const MAX_TOTAL = 12
const MAX_PER_USER = 4

export interface Queues {
  /** Waits for a slot, then runs `work`. Rejects with the signal's reason if it is aborted while waiting. */
  inTurn<T>(user: string, signal: AbortSignal, work: () => Promise<T>): Promise<T>
}

export function createQueues(): Queues {
  const total = createTurns(MAX_TOTAL)
  const queuesByUser = new Map<string, { readonly semaphore: Turns; queuesByUser: number }>()

  function acquireQueue(user: string) {
    const queue = queuesByUser.get(user) ?? { semaphore: createTurns(MAX_PER_USER), queuesByUser: 0 }
    queuesByUser.set(user, queue)
    queue.queuesByUser++
    return queue
  }

  return {
    async inTurn(user, signal, work) {
      const queue = acquireQueue(user)
      const userSlot = await queue.semaphore.take(signal)
      const totalSlot = userSlot && (await total.take(signal))
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
