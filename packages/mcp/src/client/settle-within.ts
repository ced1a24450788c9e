// Waits for a promise up to a time limit. Used by client/ and mount/ in place of promises.ts, which would split the
// kernel into more files. Timers only.

/** Resolves when the promise settles, or after the time. The timer keeps the process running. */
export function settleWithin(ms: number, promise: Promise<unknown>): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    const end = (): void => {
      clearTimeout(timer)
      resolve()
    }
    promise.then(end, end)
  })
}
