// Work that must not overlap: each begins when the one before it of the same key has ended, however it ended.

export type InTurn = <T>(key: string, work: () => Promise<T>) => Promise<T>

export function createInTurn(): InTurn {
  const last = new Map<string, Promise<unknown>>()
  return (key, work) => {
    const before = last.get(key)
    const turn = before ? before.then(work) : atOnce(work)
    const done = turn
      .catch(() => undefined)
      .finally(() => {
        if (last.get(key) === done) last.delete(key)
      })
    last.set(key, done)
    return turn
  }
}

// What it throws before it waits is its own failure too.
async function atOnce<T>(work: () => Promise<T>): Promise<T> {
  return work()
}
