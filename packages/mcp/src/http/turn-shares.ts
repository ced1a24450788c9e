// Shares each turn of the event loop between users: what the requests of one user need beyond their share of a turn waits
// for later turns, so that another user's request never waits for more than a few of them.

const SHARE_MS = 10

export interface TurnShares {
  /** Runs the work now, or in a later turn after all earlier work of the same user. It must not throw. */
  run(user: string, work: () => void): void
}

/** `now`: a monotonic clock in milliseconds. `nextTurn` calls its argument in the next turn. */
export function createTurnShares(
  now = () => performance.now(),
  nextTurn: (start: () => void) => void = setImmediate,
): TurnShares {
  /** The time that each user has had in this turn. */
  const spent = new Map<string, number>()
  const queues = new Map<string, (() => void)[]>()

  let isScheduled = false

  function schedule(): void {
    if (isScheduled) return
    isScheduled = true
    nextTurn(startTurn)
  }

  function runNow(user: string, work: () => void): void {
    const startedAt = now()
    work()
    spent.set(user, (spent.get(user) ?? 0) + now() - startedAt)
    schedule()
  }

  function hasShare(user: string): boolean {
    return (spent.get(user) ?? 0) < SHARE_MS
  }

  function startTurn(): void {
    isScheduled = false
    spent.clear()
    for (const [user, queue] of queues) {
      for (let work = queue.shift(); work !== undefined; work = hasShare(user) ? queue.shift() : undefined) {
        runNow(user, work)
      }
      if (queue.length === 0) queues.delete(user)
    }
  }

  return {
    run(user, work) {
      const queue = queues.get(user)
      if (queue) queue.push(work)
      else if (hasShare(user)) runNow(user, work)
      else queues.set(user, [work])
    },
  }
}
