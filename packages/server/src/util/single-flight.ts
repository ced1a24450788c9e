// Runs concurrent work with the same key once. The work is aborted when the last waiter has left.

import { rejectOnAbort } from './async.js'

export interface SingleFlight<T> {
  /** Joins the running work with this key, or starts it. */
  run(key: string, signal: AbortSignal, start: (signal: AbortSignal) => Promise<T>): Promise<T>
}

interface SharedTask<T> {
  readonly work: Promise<T>
  readonly controller: AbortController
  waiters: number
}

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
