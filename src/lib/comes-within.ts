// Helpers for timeouts, abort signals and deferred promises.

/**
 * Whether a promise settles within a time. Before giving up it waits two more event loop turns, because a busy process
 * may not yet have read what is in a pipe.
 */
export function comesWithin(ms: number, promise: Promise<unknown>): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => setImmediate(() => setImmediate(resolve, false)), ms)
    void promise.then(() => {
      clearTimeout(timer)
      resolve(true)
    })
  })
}
