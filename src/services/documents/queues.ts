// How many pages are on their way at once: each may take as much memory as a page may have, and one reader who wants many
// does not keep the others waiting.

import { createTurns, type Turns } from '../../lib/turns.js'

const MOST = 12
const MOST_OF_ONE = 4

export interface Queues {
  /** Rejects with the signal's reason where the turn did not come in time. */
  inTurn<T>(user: string, signal: AbortSignal, work: () => Promise<T>): Promise<T>
}

export function createQueues(): Queues {
  const all = createTurns(MOST)
  const users = new Map<string, { readonly turns: Turns; readers: number }>()

  function queueOf(user: string) {
    const queue = users.get(user) ?? { turns: createTurns(MOST_OF_ONE), readers: 0 }
    users.set(user, queue)
    queue.readers++
    return queue
  }

  return {
    async inTurn(user, signal, work) {
      const queue = queueOf(user)
      const own = await queue.turns.take(signal)
      const shared = own && (await all.take(signal))
      try {
        if (!shared) throw signal.reason
        return await work()
      } finally {
        shared?.()
        own?.()
        if (--queue.readers === 0) users.delete(user)
      }
    },
  }
}
