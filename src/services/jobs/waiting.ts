// Waits for an event of a job: its end, a matching line, a period without output, or an open port. The end of the job
// ends every wait.

import type { LinePattern } from '../../lib/line-pattern.js'
import { isPortOpen } from '../../platform/port.js'
import type { Job } from './job.js'
import { piecesFrom } from './lines.js'

const PORT_EVERY_MS = 100

export interface Wish {
  /** A matching line after the read position. */
  readonly pattern?: LinePattern | undefined
  readonly quietMs?: number | undefined
  readonly port?: number | undefined
  readonly maxMs: number
}

/** Which event came first; `time`: none within maxMs. */
export type Arrival = 'end' | 'pattern' | 'quiet' | 'port' | 'time' | 'cancelled'

export async function waitFor(job: Job, from: number, request: Wish, signal: AbortSignal): Promise<Arrival> {
  const { pattern, quietMs, port, maxMs } = request
  if (!job.isRunning) return lastLook(job, from, pattern)
  const done = new AbortController()
  try {
    return await Promise.race([
      theEnd(job, done.signal).then(() => lastLook(job, from, pattern)),
      elapsed(maxMs, done.signal, 'time'),
      aborted(signal, done.signal),
      ...(pattern ? [lineMatches(job, from, pattern, done.signal)] : []),
      ...(quietMs === undefined ? [] : [silence(job, quietMs, done.signal)]),
      ...(port === undefined ? [] : [portOpens(port, done.signal)]),
    ])
  } finally {
    done.abort()
  }
}

/** Uses a listener, because handlers on `job.ended` would accumulate until the job ends. */
function theEnd(job: Job, done: AbortSignal): Promise<void> {
  return until(done, (resolve) => job.onChange(() => job.isRunning || resolve()))
}

/** The matching line may have been the last one before the end. */
async function lastLook(job: Job, from: number, pattern: LinePattern | undefined): Promise<Arrival> {
  if (!pattern) return 'end'
  for await (const { lines } of piecesFrom(job.output, from)) if (pattern.matching(lines).length > 0) return 'pattern'
  return 'end'
}

function elapsed(ms: number, done: AbortSignal, arrival: Arrival): Promise<Arrival> {
  return until(done, (resolve) => {
    const timer = setTimeout(resolve, ms, arrival)
    return () => clearTimeout(timer)
  })
}

function aborted(signal: AbortSignal, done: AbortSignal): Promise<Arrival> {
  return until(done, (resolve) => {
    const onAbort = (): void => resolve('cancelled')
    if (signal.aborted) onAbort()
    signal.addEventListener('abort', onAbort)
    return () => signal.removeEventListener('abort', onAbort)
  })
}

/** Rejects if the pattern times out. */
async function lineMatches(job: Job, from: number, pattern: LinePattern, done: AbortSignal): Promise<Arrival> {
  for (let next = from; !done.aborted;) {
    const changed = nextChange(job, done)
    await job.flush()
    for await (const batch of piecesFrom(job.output, next)) {
      if (pattern.matching(batch.lines).length > 0) return 'pattern'
      next = batch.next
    }
    await changed
  }
  return 'cancelled'
}

function nextChange(job: Job, done: AbortSignal): Promise<void> {
  return until(done, (resolve) => job.onChange(() => resolve()))
}

function silence(job: Job, ms: number, done: AbortSignal): Promise<Arrival> {
  return until(done, (resolve) => {
    const timer = setTimeout(resolve, ms, 'quiet')
    const cleanUp = job.onChange(() => timer.refresh())
    return () => {
      clearTimeout(timer)
      cleanUp()
    }
  })
}

async function portOpens(port: number, done: AbortSignal): Promise<Arrival> {
  while (!done.aborted) {
    if (await isPortOpen(port)) return 'port'
    await elapsed(PORT_EVERY_MS, done, 'time')
  }
  return 'cancelled'
}

/** A promise whose set-up is undone when it resolves and when `over` is aborted. */
function until<T>(done: AbortSignal, setUp: (resolve: (value: T) => void) => () => void): Promise<T> {
  return new Promise((resolve) => {
    const cleanUp = (): void => {
      undo()
      done.removeEventListener('abort', cleanUp)
    }
    // `begin` may call resolve before it has returned its undo function.
    const undo = setUp((value) => queueMicrotask(() => (cleanUp(), resolve(value))))
    done.addEventListener('abort', cleanUp)
    if (done.aborted) cleanUp()
  })
}
