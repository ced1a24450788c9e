// Continues at once with a value, or when a promise is fulfilled, so that synchronous work creates no promise.

export function andThen<T, R>(value: T | PromiseLike<T>, continueWith: (value: T) => R | Promise<R>): R | Promise<R> {
  return isThenable(value) ? Promise.resolve(value).then(continueWith) : continueWith(value)
}

function isThenable<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return (
    value instanceof Promise ||
    (typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function')
  )
}
