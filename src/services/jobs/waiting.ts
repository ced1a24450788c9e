// Waits for what a reader wants of a job, so that nobody has to ask again and again: its end, a line that matches, a
// while without output, a port that answers. The end of the job ends every wait.

import type { LinePattern } from '../../lib/line-pattern.js'
import { isPortOpen } from '../../platform/port.js'
import type { Job } from './job.js'
import { piecesFrom } from './lines.js'

const PORT_EVERY_MS = 100

export interface Wish {
  /** A line that matches, among those that the reader has not seen. */
  readonly pattern?: LinePattern | undefined
  readonly quietMs?: number | undefined
  readonly port?: number | undefined
  readonly maxMs: number
}

/** What came first; `time`: none of it within the time given. */
export type Arrival = 'end' | 'pattern' | 'quiet' | 'port' | 'time' | 'cancelled'

export async function waitFor(job: Job, from: number, wish: Wish, signal: AbortSignal): Promise<Arrival> {
  const { pattern, quietMs, port, maxMs } = wish
  if (!job.isRunning) return lastLook(job, from, pattern)
  const over = new AbortController()
  try {
    return await Promise.race([
      theEnd(job, over.signal).then(() => lastLook(job, from, pattern)),
      elapsed(maxMs, over.signal, 'time'),
      aborted(signal, over.signal),
      ...(pattern ? [lineMatches(job, from, pattern, over.signal)] : []),
      ...(quietMs === undefined ? [] : [silence(job, quietMs, over.signal)]),
      ...(port === undefined ? [] : [portOpens(port, over.signal)]),
    ])
  } finally {
    over.abort()
  }
}

/** A listener, not a promise of the job's: those who wait often would pile up there until it ends. */
function theEnd(job: Job, over: AbortSignal): Promise<void> {
  return until(over, (resolve) => job.onChange(() => job.isRunning || resolve()))
}

/** The line that was waited for may have been the last. */
async function lastLook(job: Job, from: number, pattern: LinePattern | undefined): Promise<Arrival> {
  if (!pattern) return 'end'
  for await (const { lines } of piecesFrom(job.output, from)) if (pattern.matching(lines).length > 0) return 'pattern'
  return 'end'
}

function elapsed(ms: number, over: AbortSignal, arrival: Arrival): Promise<Arrival> {
  return until(over, (resolve) => {
    const timer = setTimeout(resolve, ms, arrival)
    return () => clearTimeout(timer)
  })
}

function aborted(signal: AbortSignal, over: AbortSignal): Promise<Arrival> {
  return until(over, (resolve) => {
    const onAbort = (): void => resolve('cancelled')
    if (signal.aborted) onAbort()
    signal.addEventListener('abort', onAbort)
    return () => signal.removeEventListener('abort', onAbort)
  })
}

/** Rejects where the pattern cannot be tried. */
async function lineMatches(job: Job, from: number, pattern: LinePattern, over: AbortSignal): Promise<Arrival> {
  for (let next = from; !over.aborted;) {
    const changed = nextChange(job, over)
    await job.flush()
    for await (const piece of piecesFrom(job.output, next)) {
      if (pattern.matching(piece.lines).length > 0) return 'pattern'
      next = piece.next
    }
    await changed
  }
  return 'cancelled'
}

function nextChange(job: Job, over: AbortSignal): Promise<void> {
  return until(over, (resolve) => job.onChange(() => resolve()))
}

function silence(job: Job, ms: number, over: AbortSignal): Promise<Arrival> {
  return until(over, (resolve) => {
    const timer = setTimeout(resolve, ms, 'quiet')
    const leave = job.onChange(() => timer.refresh())
    return () => {
      clearTimeout(timer)
      leave()
    }
  })
}

async function portOpens(port: number, over: AbortSignal): Promise<Arrival> {
  while (!over.aborted) {
    if (await isPortOpen(port)) return 'port'
    await elapsed(PORT_EVERY_MS, over, 'time')
  }
  return 'cancelled'
}

/** A promise that leaves nothing behind: whatever `begin` set up is undone when it resolves, and when all is over. */
function until<T>(over: AbortSignal, begin: (resolve: (value: T) => void) => () => void): Promise<T> {
  return new Promise((resolve) => {
    const leave = (): void => {
      undo()
      over.removeEventListener('abort', leave)
    }
    // Not before it is known how to undo it.
    const undo = begin((value) => queueMicrotask(() => (leave(), resolve(value))))
    over.addEventListener('abort', leave)
    if (over.aborted) leave()
  })
}
