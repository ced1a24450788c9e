// Limits of concurrent work: mutex by key, semaphores, throttle, limit per user, and work that is shared by its
// callers. Used by the console, storage, worker pools and several features. Uses timers; no I/O.

import { rejectOnAbort } from './timeouts.js'

type KeyedMutex = <T>(key: string, work: () => Promise<T>) => Promise<T>

/** Work of the same key runs one after another, even if an earlier one fails. */
export function createKeyedMutex(): KeyedMutex {
  const last = new Map<string, Promise<unknown>>()
  return (key, work) => {
    const previous = last.get(key)
    const result = previous ? previous.then(work) : startNow(work)
    const done = result
      .catch(() => undefined)
      .finally(() => {
        if (last.get(key) === done) last.delete(key)
      })
    last.set(key, done)
    return result
  }
}

// An async function, so that a synchronous throw becomes a rejection.
async function startNow<T>(work: () => Promise<T>): Promise<T> {
  return work()
}

interface Semaphore {
  /** Resolves to the function that releases the slot, or to undefined if the signal aborts first. */
  acquire(signal: AbortSignal): Promise<(() => void) | undefined>
}

/** A semaphore: limits concurrent work; waiters are served in order. */
export function createSemaphore(limit: number): Semaphore {
  const waiting = new Set<() => void>()
  let inUse = 0

  function releaseOne(): void {
    inUse--
    const [next] = waiting
    next?.()
  }

  function createRelease(): () => void {
    inUse++
    let isReleased = false
    return () => {
      if (!isReleased) releaseOne()
      isReleased = true
    }
  }

  return {
    acquire(signal) {
      if (signal.aborted) return Promise.resolve(undefined)
      if (inUse < limit) return Promise.resolve(createRelease())
      return new Promise((resolve) => {
        const finish = (isAcquired: boolean): void => {
          waiting.delete(onTurn)
          signal.removeEventListener('abort', onAbort)
          resolve(isAcquired ? createRelease() : undefined)
        }
        const onTurn = (): void => finish(true)
        const onAbort = (): void => finish(false)
        waiting.add(onTurn)
        signal.addEventListener('abort', onAbort)
      })
    },
  }
}

export interface FairSemaphore {
  /** Resolves to the function that releases the slot, or to undefined if the signal aborts first. */
  acquire(owner: string, signal: AbortSignal): Promise<(() => void) | undefined>
  /** Requests of this owner that wait for a slot. */
  waitingCount(owner: string): number
}

/**
 * A semaphore that is shared by several owners, such as users: a free slot goes to the owner with the fewest slots, and
 * among those to the request that waits longest, so that a long queue of one owner does not delay the others.
 */
export function createFairSemaphore(limit: number): FairSemaphore {
  const waiting = new Set<{ readonly owner: string; readonly onTurn: () => void }>()
  const slotsByOwner = new Map<string, number>()
  let inUse = 0

  function createRelease(owner: string): () => void {
    inUse++
    slotsByOwner.set(owner, slotsOf(owner) + 1)
    let isReleased = false
    return () => {
      if (isReleased) return
      isReleased = true
      inUse--
      if (slotsOf(owner) > 1) slotsByOwner.set(owner, slotsOf(owner) - 1)
      else slotsByOwner.delete(owner)
      findNext()?.onTurn()
    }
  }

  const slotsOf = (owner: string): number => slotsByOwner.get(owner) ?? 0

  function findNext(): { readonly onTurn: () => void } | undefined {
    const [first, ...others] = waiting
    return others.reduce((best, waiter) => (slotsOf(waiter.owner) < slotsOf(best?.owner ?? '') ? waiter : best), first)
  }

  return {
    acquire(owner, signal) {
      if (signal.aborted) return Promise.resolve(undefined)
      if (inUse < limit) return Promise.resolve(createRelease(owner))
      return new Promise((resolve) => {
        const finish = (isAcquired: boolean): void => {
          waiting.delete(waiter)
          signal.removeEventListener('abort', onAbort)
          resolve(isAcquired ? createRelease(owner) : undefined)
        }
        const waiter = { owner, onTurn: () => finish(true) }
        const onAbort = (): void => finish(false)
        waiting.add(waiter)
        signal.addEventListener('abort', onAbort)
      })
    },
    waitingCount: (owner) => [...waiting].filter((waiter) => waiter.owner === owner).length,
  }
}

export interface Throttle {
  request(): void
  /** No further run is started. */
  stop(): void
}

/**
 * A throttle: work that is requested at any rate runs at most once per interval, at once if the interval has passed.
 * Runs never overlap, and a request during a run causes one more run.
 */
export function createThrottle(intervalMs: number, work: () => void | Promise<void>): Throttle {
  let timer: NodeJS.Timeout | undefined
  let isRequested = false
  let isBusy = false
  let isStopped = false

  function start(): void {
    if (isBusy || timer || isStopped) return
    isRequested = false
    isBusy = true
    timer = setTimeout(onIntervalEnd, intervalMs).unref()
    // Errors are ignored, so that they do not prevent the next run.
    void run().finally(() => {
      isBusy = false
      startIfRequested()
    })
  }

  async function run(): Promise<void> {
    await work()
  }

  function onIntervalEnd(): void {
    timer = undefined
    startIfRequested()
  }

  function startIfRequested(): void {
    if (isRequested) start()
  }

  return {
    request() {
      isRequested = true
      start()
    },
    stop() {
      isStopped = true
      clearTimeout(timer)
    },
  }
}

interface PerUserLimiter {
  /** Waits for a slot, then runs `work`. Rejects with the signal's reason if it is aborted while waiting. */
  run<T>(user: string, signal: AbortSignal, work: () => Promise<T>): Promise<T>
}

/** Limits concurrent work in total, and per user, so that one user does not block others. */
export function createPerUserLimiter(maxTotal: number, maxPerUser: number): PerUserLimiter {
  const total = createSemaphore(maxTotal)
  const queues = new Map<string, { readonly semaphore: Semaphore; calls: number }>()

  function acquireQueue(user: string) {
    const queue = queues.get(user) ?? { semaphore: createSemaphore(maxPerUser), calls: 0 }
    queues.set(user, queue)
    queue.calls++
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
        if (--queue.calls === 0) queues.delete(user)
      }
    },
  }
}

interface SingleFlight<T> {
  /** Joins the running work with this key, or starts it. */
  run(key: string, signal: AbortSignal, start: (signal: AbortSignal) => Promise<T>): Promise<T>
}

interface SharedTask<T> {
  readonly work: Promise<T>
  readonly controller: AbortController
  waiters: number
}

/** Runs concurrent work with the same key once. The work is aborted when the last waiter has left. */
export function createSingleFlight<T>(): SingleFlight<T> {
  const tasks = new Map<string, SharedTask<T>>()

  function startTask(key: string, start: (signal: AbortSignal) => Promise<T>): SharedTask<T> {
    const controller = new AbortController()
    const work = start(controller.signal).finally(() => removeTask(key, task))
    const task: SharedTask<T> = { work, controller, waiters: 0 }
    tasks.set(key, task)
    return task
  }

  function removeTask(key: string, task: SharedTask<T>): void {
    if (tasks.get(key) === task) tasks.delete(key)
  }

  return {
    async run(key, signal, start) {
      const task = tasks.get(key) ?? startTask(key, start)
      task.waiters++
      try {
        return await rejectOnAbort(task.work, signal)
      } finally {
        if (--task.waiters === 0) {
          // New callers must not join work that is being aborted.
          removeTask(key, task)
          task.controller.abort()
        }
      }
    },
  }
}

/**
 * One run after the other. Callers share the next run, which begins after they have asked, so that its result is not older
 * than their question.
 */
export function shareRuns<T>(run: () => Promise<T>): () => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  let next: Promise<T> | undefined

  async function startNext(): Promise<T> {
    await last
    // Callers that ask at nearly the same time do so in one turn of the event loop.
    await new Promise((resolve) => setImmediate(resolve))
    next = undefined
    const result = run()
    last = result.catch(() => undefined)
    return result
  }

  return () => (next ??= startNext())
}
