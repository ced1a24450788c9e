// A semaphore: limits concurrent work; waiters are served in order.

export interface Turns {
  /** Resolves to the function that releases the slot, or to undefined if the signal aborts first. */
  take(signal: AbortSignal): Promise<(() => void) | undefined>
}

export function createTurns(limit: number): Turns {
  const waiting = new Set<() => void>()
  let inUse = 0

  function releaseOne(): void {
    inUse--
    const [next] = waiting
    next?.()
  }

  function createRelease(): () => void {
    inUse++
    let isReleased = false
    return () => {
      if (!isReleased) releaseOne()
      isReleased = true
    }
  }

  return {
    take(signal) {
      if (signal.aborted) return Promise.resolve(undefined)
      if (inUse < limit) return Promise.resolve(createRelease())
      return new Promise((resolve) => {
        const finish = (isAcquired: boolean): void => {
          waiting.delete(onTurn)
          signal.removeEventListener('abort', onAbort)
          resolve(isAcquired ? createRelease() : undefined)
        }
        const onTurn = (): void => finish(true)
        const onAbort = (): void => finish(false)
        waiting.add(onTurn)
        signal.addEventListener('abort', onAbort)
      })
    },
  }
}
