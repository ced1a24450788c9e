// Work on a database in the process (SQLite) blocks the event loop while a statement runs: these divide it into slices of a
// few milliseconds and give the event loop a turn between them. Used by the search and the index of tasks. Sets timers.

import { setImmediate as nextTurn } from 'node:timers/promises'

const SLICE_MS = 4
const MAX_CHANGE = 4
const MIN_SIZE = 16
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
      const change = SLICE_MS / Math.max(performance.now() - startedAt, 0.01)
      const wanted = size * Math.min(MAX_CHANGE, Math.max(1 / MAX_CHANGE, change))
      size = Math.round(Math.min(most, Math.max(MIN_SIZE, wanted)))
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
