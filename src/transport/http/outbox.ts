// Answers of one turn of the loop leave together at its end. Reading all that has come, then writing all that is due,
// costs a fifth less than going back and forth between the two.

export interface Leaving {
  leave(): void
  /** It cannot leave: its connection ends instead. */
  giveUp(): void
}

export interface Outbox {
  add(answer: Leaving): void
  /** Lets them go now. */
  flush(): void
}

export function createOutbox(onError: (error: unknown) => void): Outbox {
  let waiting: Leaving[] = []
  const flush = (): void => {
    const batch = waiting
    waiting = []
    for (const answer of batch) {
      try {
        answer.leave()
      } catch (error) {
        // One that cannot be written must not take the others with it.
        onError(error)
        answer.giveUp()
      }
    }
  }
  return {
    add(answer) {
      if (waiting.push(answer) === 1) setImmediate(flush)
    },
    flush,
  }
}
