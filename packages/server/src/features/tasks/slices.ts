// Work on a database in the process (SQLite) blocks the event loop while a statement runs: these divide it into slices of a
// few milliseconds and give the event loop a turn between them. Used by the search and the index of tasks. Sets timers.

import { setImmediate as nextTurn } from 'node:timers/promises'

const SLICE_MS = 4
const MAX_GROWTH = 4
const MAX_MS_PER_TURN = 8

export interface Slices {
  /** How many ids the next slice may span. */
  readonly size: number
  /** Gives the event loop a turn, and chooses the next size by the time that the slice took. */
  next(): Promise<void>
}

export function createSlices(first: number, most = Infinity): Slices {
  let size = first
  let startedAt = performance.now()
  return {
    get size() {
      return size
    },
    async next() {
      const growth = SLICE_MS / Math.max(performance.now() - startedAt, SLICE_MS / MAX_GROWTH)
      size = Math.max(1, Math.min(most, Math.floor(size * growth)))
      await nextTurn()
      startedAt = performance.now()
    },
  }
}

/** For work that consists of many short statements. */
export function createTurns(): { yieldIfDue(): Promise<void> } {
  let startedAt = performance.now()
  return {
    async yieldIfDue() {
      if (performance.now() - startedAt < MAX_MS_PER_TURN) return
      await nextTurn()
      startedAt = performance.now()
    },
  }
}
