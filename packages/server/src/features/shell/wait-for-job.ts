// Waits for an event of a job: its end, a matching line, a period without output, or an open port. The end of the job ends
// every wait. Used by job-service for ReadBgOutput. Reads the output of the job and connects to local ports.
// Sets timers.

import { connect } from 'node:net'

import type { LineMatcher } from '../../patterns/pattern-matcher.js'
import type { Job } from './job.js'
import { readLinesFrom } from './read-job-output.js'
import { type InputWait, untilWaitingForInput } from './wait-for-input.js'

const PORT_CHECK_INTERVAL_MS = 100
/** Characters of the echo that are compared: a long line may be drawn in several rows. */
const MAX_ECHO = 40
const MAX_ECHO_BYTES = 64 * 1024

export interface WaitRequest {
  /** A matching line after the read position. */
  readonly pattern?: LineMatcher | undefined
  readonly quietMs?: number | undefined
  readonly port?: number | undefined
  /** A line that was typed: the echo of it is not searched for the pattern. */
  readonly echo?: string | undefined
  /** Also until it waits for input. */
  readonly input?: InputWait | undefined
  readonly maxMs: number
}

/** Which event came first; `time`: none within maxMs. */
export type WaitResult = 'end' | 'input' | 'pattern' | 'quiet' | 'port' | 'time' | 'cancelled'

export async function waitForJob(
  job: Job,
  from: number,
  request: WaitRequest,
  signal: AbortSignal,
): Promise<WaitResult> {
  const { quietMs, port, input, maxMs } = request
  const pattern = request.pattern && { matcher: request.pattern, echo: request.echo }
  if (!job.isRunning) return checkFinalOutput(job, from, pattern)
  const done = new AbortController()
  try {
    return await Promise.race([
      untilEnded(job, done.signal).then(() => checkFinalOutput(job, from, pattern)),
      untilElapsed(maxMs, done.signal, 'time'),
      untilAborted(signal, done.signal),
      ...(pattern ? [untilLineMatches(job, from, pattern, done.signal)] : []),
      ...(quietMs === undefined ? [] : [untilQuiet(job, quietMs, done.signal)]),
      ...(port === undefined ? [] : [untilPortOpens(port, done.signal)]),
      ...(input === undefined ? [] : [untilInputWanted(job, from, input, pattern, done.signal)]),
    ])
  } finally {
    done.abort()
  }
}

/** Uses a listener, because handlers on `job.ended` would accumulate until the job ends. */
function untilEnded(job: Job, done: AbortSignal): Promise<void> {
  return createCleanedUpPromise(done, (resolve) => job.onChange(() => job.isRunning || resolve()))
}

/** The matching line may have been the last one before the end. */
async function checkFinalOutput(job: Job, from: number, pattern: AwaitedPattern | undefined): Promise<WaitResult> {
  if (!pattern) return 'end'
  const start = await findEndOfEcho(job, from, pattern.echo)
  if (start === undefined) return 'end'
  for await (const { lines } of readLinesFrom(job.output, start))
    if ((await pattern.matcher.filter(lines)).length > 0) return 'pattern'
  return 'end'
}

interface AwaitedPattern {
  readonly matcher: LineMatcher
  readonly echo: string | undefined
}

/** The offset after the first line, if that is the echo of what was typed; undefined while the echo is incomplete. */
async function findEndOfEcho(job: Job, from: number, echo: string | undefined): Promise<number | undefined> {
  const start = echo?.slice(0, MAX_ECHO).trimEnd()
  if (start === undefined || start === '') return from
  const { bytes } = await job.output.read(from, MAX_ECHO_BYTES)
  const end = bytes.indexOf('\n') + 1
  for await (const { lines } of readLinesFrom(job.output, from)) {
    const first = lines[0] ?? ''
    if (first.includes(start)) return end === 0 ? undefined : from + end
    return end === 0 && start.startsWith(first.trimEnd()) ? undefined : from
  }
  return undefined
}

function untilElapsed(ms: number, done: AbortSignal, arrival: WaitResult): Promise<WaitResult> {
  return createCleanedUpPromise(done, (resolve) => {
    const timer = setTimeout(resolve, ms, arrival)
    return () => clearTimeout(timer)
  })
}

function untilAborted(signal: AbortSignal, done: AbortSignal): Promise<WaitResult> {
  return createCleanedUpPromise(done, (resolve) => {
    const onAbort = (): void => resolve('cancelled')
    if (signal.aborted) onAbort()
    signal.addEventListener('abort', onAbort)
    return () => signal.removeEventListener('abort', onAbort)
  })
}

/** Rejects if the pattern times out. */
async function untilLineMatches(
  job: Job,
  from: number,
  pattern: AwaitedPattern,
  done: AbortSignal,
): Promise<WaitResult> {
  for (let next = from; !done.aborted;) {
    const { isRunning } = job
    const changed = job.nextChange(done)
    await job.flush()
    const start = next === from ? await findEndOfEcho(job, from, pattern.echo) : next
    for await (const batch of start === undefined ? [] : readLinesFrom(job.output, start)) {
      if ((await pattern.matcher.filter(batch.lines)).length > 0) return 'pattern'
      next = batch.next
    }
    if (!isRunning) return checkFinalOutput(job, from, pattern)
    await changed
  }
  return 'cancelled'
}

/** The matching line may be the prompt. */
async function untilInputWanted(
  job: Job,
  from: number,
  input: InputWait,
  pattern: AwaitedPattern | undefined,
  done: AbortSignal,
): Promise<WaitResult> {
  await untilWaitingForInput(job, input, done)
  return (await checkFinalOutput(job, from, pattern)) === 'pattern' ? 'pattern' : 'input'
}

function untilQuiet(job: Job, ms: number, done: AbortSignal): Promise<WaitResult> {
  return createCleanedUpPromise(done, (resolve) => {
    const timer = setTimeout(resolve, ms, 'quiet')
    const cleanUp = job.onChange(() => timer.refresh())
    return () => {
      clearTimeout(timer)
      cleanUp()
    }
  })
}

async function untilPortOpens(port: number, done: AbortSignal): Promise<WaitResult> {
  while (!done.aborted) {
    if (await isPortOpen(port)) return 'port'
    await untilElapsed(PORT_CHECK_INTERVAL_MS, done, 'time')
  }
  return 'cancelled'
}

/** A promise whose set-up is undone when it resolves and when `done` is aborted. */
function createCleanedUpPromise<T>(done: AbortSignal, setUp: (resolve: (value: T) => void) => () => void): Promise<T> {
  return new Promise((resolve) => {
    const cleanUp = (): void => {
      undo()
      done.removeEventListener('abort', cleanUp)
    }
    // `setUp` may call resolve before it has returned its undo function.
    const undo = setUp((value) => queueMicrotask(() => (cleanUp(), resolve(value))))
    done.addEventListener('abort', cleanUp)
    if (done.aborted) cleanUp()
  })
}

const CONNECT_TIMEOUT_MS = 500

/** Checks whether a local TCP port accepts connections. Connects and closes; sends nothing. */
async function isPortOpen(port: number): Promise<boolean> {
  const results = await Promise.all(['127.0.0.1', '::1'].map((host) => canConnect(host, port)))
  return results.includes(true)
}

function canConnect(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: CONNECT_TIMEOUT_MS })
    const finish = (isOpen: boolean): void => {
      socket.destroy()
      resolve(isOpen)
    }
    socket.once('connect', () => finish(true))
    socket.once('error', () => finish(false))
    socket.once('timeout', () => finish(false))
  })
}
