// Limits of concurrent work: mutex by key, semaphore, throttle. With a mutex, work of the same key runs one after
// another, even if an earlier one fails.

export type InTurn = <T>(key: string, work: () => Promise<T>) => Promise<T>

export function createInTurn(): InTurn {
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
