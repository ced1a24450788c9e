// Work of which only so much is done at once: who comes later waits, first come first served.

export interface Turns {
  /** Resolves to the way to give the turn back, or to undefined when `signal` said first that it is not wanted any more. */
  take(signal: AbortSignal): Promise<(() => void) | undefined>
}

export function createTurns(atOnce: number): Turns {
  const waiting = new Set<() => void>()
  let taken = 0

  function give(): void {
    taken--
    const [next] = waiting
    next?.()
  }

  function turn(): () => void {
    taken++
    let isGiven = false
    return () => {
      if (!isGiven) give()
      isGiven = true
    }
  }

  return {
    take(signal) {
      if (signal.aborted) return Promise.resolve(undefined)
      if (taken < atOnce) return Promise.resolve(turn())
      return new Promise((resolve) => {
        const settle = (isWanted: boolean): void => {
          waiting.delete(begin)
          signal.removeEventListener('abort', leave)
          resolve(isWanted ? turn() : undefined)
        }
        const begin = (): void => settle(true)
        const leave = (): void => settle(false)
        waiting.add(begin)
        signal.addEventListener('abort', leave)
      })
    },
  }
}
