// Timeouts, abort signals, deferred promises and resources that are opened on first use. Uses timers; no I/O. Used
// throughout packages/server, by the placement of machines in the app and by the database view of the console.

import { setMaxListeners } from 'node:events'

import { loadOnce } from '@scorpiox/mcp/promises'

/**
 * Whether a promise settles within a time. Before giving up it waits two more event loop turns, because a busy process
 * may not yet have read what is in a pipe.
 */
export function settlesWithin(ms: number, promise: Promise<unknown>): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => setImmediate(() => setImmediate(resolve, false)), ms)
    void promise.then(() => {
      clearTimeout(timer)
      resolve(true)
    })
  })
}

export interface TimeoutSignal {
  readonly signal: AbortSignal
  /** Removes timer and listeners; call it when the signal is no longer needed. */
  readonly clear: () => void
}

/**
 * A signal that aborts when any of several signals aborts, or after a timeout. Use it in place of AbortSignal.any over
 * AbortSignal.timeout: Node.js 20 may garbage-collect such a signal early, and its listeners are then never called.
 * `reasonFor` is given the signal that aborted; undefined after the timeout.
 */
export function createTimeoutSignal(
  ms: number,
  signals: readonly (AbortSignal | undefined)[] = [],
  reasonFor: (aborted: AbortSignal | undefined) => unknown = (aborted) =>
    aborted ? aborted.reason : new DOMException(`${ms} ms are over`, 'TimeoutError'),
): TimeoutSignal {
  const parents = signals.filter((parent) => parent !== undefined)
  const controller = new AbortController()
  const clear = (): void => {
    clearTimeout(timer)
    for (const parent of parents) parent.removeEventListener('abort', end)
  }
  const end = (): void => {
    clear()
    controller.abort(reasonFor(parents.find(({ aborted }) => aborted)))
  }
  const timer = setTimeout(end, ms)
  for (const parent of parents) {
    // One listener for each running operation: more than ten are not a leak.
    setMaxListeners(0, parent)
    parent.addEventListener('abort', end)
  }
  if (parents.some(({ aborted }) => aborted)) end()
  return { signal: controller.signal, clear }
}

/** Rejects when a signal aborts before the work settles, even if the work does not listen to the signal. */
export function rejectOnAbort<T>(
  work: Promise<T>,
  signal: AbortSignal,
  reasonFor: (signal: AbortSignal) => Error = abortReason,
): Promise<T> {
  // A later rejection of the work is ignored.
  work.catch(() => {})
  if (signal.aborted) return Promise.reject(reasonFor(signal))
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(reasonFor(signal))
    signal.addEventListener('abort', onAbort, { once: true })
    const removeListener = (): void => signal.removeEventListener('abort', onAbort)
    work.finally(removeListener).then(resolve, reject)
  })
}

function abortReason({ reason }: AbortSignal): Error {
  return reason instanceof Error ? reason : new Error('aborted', { cause: reason })
}

/** A promise with its resolve function. */
export interface Deferred<T> {
  readonly promise: Promise<T>
  readonly resolve: (value: T) => void
}

export function createDeferred<T>(): Deferred<T> {
  const resolver: { resolve?: (value: T) => void } = {}
  const promise = new Promise<T>((resolve) => (resolver.resolve = resolve))
  return { promise, resolve: (value) => resolver.resolve?.(value) }
}

/** A resource that is opened on first use. All callers share it; a failed attempt is repeated by the next call. */
export interface LazyResource<T> {
  readonly open: () => Promise<T>
  /** The resource if it is open or being opened; undefined otherwise. */
  readonly current: () => Promise<T | undefined>
}

export function createLazyResource<T>(open: () => Promise<T>): LazyResource<T> {
  const openOnce = loadOnce(open)
  let opening: Promise<T> | undefined
  return {
    open: () => (opening = openOnce()),
    current: async () => opening?.catch(() => undefined),
  }
}
