// The value of a promise, or undefined after a timeout. A rejection after the timeout is ignored.

export function withTimeout<T>(ms: number, promise: Promise<T>): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, Math.max(0, ms), undefined)
    promise.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
