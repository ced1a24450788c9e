// Continues at once with a value, or when a promise is fulfilled, so that synchronous work creates no promise.

export function andThen<T, R>(value: T | PromiseLike<T>, continueWith: (value: T) => R | Promise<R>): R | Promise<R>
export function andThen<R>(value: unknown, continueWith: (value: unknown) => R | Promise<R>): R | Promise<R> {
  const isPromise = typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'
  return isPromise ? Promise.resolve(value).then(continueWith) : continueWith(value)
}
