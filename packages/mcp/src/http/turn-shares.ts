// Shares the event loop between users. The requests of one user may take 10 ms of a turn; further ones wait for later
// turns, and after a single one that takes longer, for as long as it took. So another user's request waits for little
// more than one of them, and new connections, of which Node.js accepts one in each turn, are accepted in between.
// Created by http-context.ts, used by router.ts. Sets timers.

const SHARE_MS = 10

export interface TurnShares {
  /** Runs the work now, or in a later turn after all earlier work of the same user. It must not throw. */
  run(user: string, work: () => void): void
}

/** `now`: a monotonic clock in milliseconds. `wake` calls back in a later turn, after at least so many milliseconds. */
export function createTurnShares(now = () => performance.now(), wake = wakeLater): TurnShares {
  /** The time that each user has had in this turn, and the longest part of it. */
  const spent = new Map<string, { sum: number; longest: number }>()
  /** Work that waits. */
  const backlogs = new Map<string, (() => void)[]>()
  /** What was started last; its time includes what it continues with before the next is started. */
  let last: { readonly user: string; readonly startedAt: number } | undefined
  let isTurnCounted = false

  function runNow(user: string, work: () => void): void {
    if (!isTurnCounted) wake(endTurn, 0)
    isTurnCounted = true
    last = { user, startedAt: now() }
    work()
  }

  function countLast(): void {
    if (!last) return
    const { sum, longest } = spent.get(last.user) ?? { sum: 0, longest: 0 }
    const ms = now() - last.startedAt
    spent.set(last.user, { sum: sum + ms, longest: Math.max(longest, ms) })
    last = undefined
  }

  function endTurn(): void {
    isTurnCounted = false
    last = undefined
    spent.clear()
  }

  function wait(user: string, longest: number): void {
    wake(() => serve(user), longest < SHARE_MS ? 0 : longest)
  }

  /** Runs a share of the work that waits. */
  function serve(user: string): void {
    const queue = backlogs.get(user) ?? []
    if (queue.length === 0) return void backlogs.delete(user)
    let longest = 0
    for (let used = 0; used < SHARE_MS && queue.length > 0;) {
      const startedAt = now()
      queue.shift()?.()
      const ms = now() - startedAt
      used += ms
      longest = Math.max(longest, ms)
    }
    wait(user, longest)
  }

  return {
    run(user, work) {
      countLast()
      const backlog = backlogs.get(user)
      const { sum, longest } = spent.get(user) ?? { sum: 0, longest: 0 }
      if (backlog) backlog.push(work)
      else if (sum < SHARE_MS) runNow(user, work)
      else {
        backlogs.set(user, [work])
        wait(user, longest)
      }
    },
  }
}

function wakeLater(start: () => void, ms: number): void {
  if (ms >= 1) setTimeout(start, ms)
  else setImmediate(start)
}
