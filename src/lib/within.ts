// What a promise brings within a time; undefined when it is too late. Whoever comes too late may still fail unnoticed.

export function within<T>(ms: number, event: Promise<T>): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, Math.max(0, ms), undefined)
    event.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
