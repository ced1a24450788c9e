// Work that must not overlap: each begins when the one before it has ended, however it ended.

export type InTurn = <T>(work: () => Promise<T>) => Promise<T>

export function createInTurn(): InTurn {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const turn = last.then(work)
    last = turn.catch(() => undefined)
    return turn
  }
}
