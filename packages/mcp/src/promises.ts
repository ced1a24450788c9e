// Values that may be promises, values that are loaded once, and promises with a timeout. Used everywhere. Timers only.

/** Continues at once with a value, or when a promise is fulfilled, so that synchronous work creates no promise. */
export function andThen<T, R>(value: T | PromiseLike<T>, continueWith: (value: T) => R | Promise<R>): R | Promise<R>
export function andThen<R>(value: unknown, continueWith: (value: unknown) => R | Promise<R>): R | Promise<R> {
  const isPromise = typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'
  return isPromise ? Promise.resolve(value).then(continueWith) : continueWith(value)
}

/** Loads a value on first use. All callers share one promise; a failed load is repeated by the next call. */
/* @__NO_SIDE_EFFECTS__ */
export function loadOnce<T>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | undefined
  return () =>
    (loading ??= load().catch((error: unknown) => {
      loading = undefined
      throw error
    }))
}

/**
 * The value of a promise, or undefined after a timeout. A rejection after the timeout is ignored. The timer keeps the
 * process running: at a shutdown it may be the last thing that does.
 */
export function withTimeout<T>(ms: number, promise: Promise<T>): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, Math.max(0, ms), undefined)
    promise.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
