// Watches jobs for callbacks that wait for their end or for matching lines. Lines within one second are one event. If
// the event can no longer occur, a final event reports that.

import { setTimeout as sleep } from 'node:timers/promises'

import { Failure } from '../../lib/failure.js'
import { compilePattern, type LinePattern } from '../../lib/line-pattern.js'
import { oneLine } from '../../lib/one-line.js'
import type { CallbackRow } from '../../store/state/callback-rows.js'
import { howItEnded } from '../jobs/how-it-ended.js'
import type { Job } from '../jobs/job.js'
import type { Jobs } from '../jobs/jobs.js'
import { piecesFrom } from '../jobs/lines.js'
import type { Happening } from './fire.js'

const GATHER_MS = 1000
const MAX_LINE = 300

export interface JobWatch {
  /** Replaces the callbacks of one user that wait for a job, in the sessions leased by this process. */
  know(user: string, callbacks: readonly CallbackRow[]): void
  close(): void
}

export interface JobWatchSettings {
  readonly jobs: () => Promise<Jobs>
  readonly happened: (user: string, callback: CallbackRow, jobEvent: Happening) => void
  readonly onError: (error: unknown) => void
}

export function createJobWatch({ jobs, happened, onError }: JobWatchSettings): JobWatch {
  const watched = new Map<string, Map<string, AbortController>>()

  async function watch(user: string, callback: CallbackRow, signal: AbortSignal): Promise<void> {
    try {
      const jobEvent = await waitForJobEvent(jobs, user, callback, signal)
      if (jobEvent && !signal.aborted) happened(user, callback, jobEvent)
    } catch (error) {
      onError(error)
    }
  }

  function startWatch(user: string, callback: CallbackRow): AbortController {
    const controller = new AbortController()
    void watch(user, callback, controller.signal)
    return controller
  }

  return {
    know(user, callbacks) {
      const before = watched.get(user) ?? new Map<string, AbortController>()
      const now = new Map(
        callbacks.map((callback) => [watchKey(callback), before.get(watchKey(callback)) ?? startWatch(user, callback)]),
      )
      for (const [key, controller] of before) if (!now.has(key)) controller.abort()
      if (now.size === 0) watched.delete(user)
      else watched.set(user, now)
    },
    close() {
      for (const controllers of watched.values()) for (const controller of controllers.values()) controller.abort()
      watched.clear()
    },
  }
}

/** A new position starts a new watch. */
function watchKey({ session, slot, setAt, position }: CallbackRow): string {
  return [session, slot, setAt, position].join('\0')
}

async function waitForJobEvent(
  jobs: () => Promise<Jobs>,
  user: string,
  callback: CallbackRow,
  signal: AbortSignal,
): Promise<Happening | undefined> {
  const { job: id, pattern, session } = callback
  if (id === null) return undefined
  try {
    const job = await (await jobs()).find(id, { user, session })
    return await (pattern === null
      ? waitForEnd(job, signal)
      : waitForMatch(job, compilePattern(pattern), callback, signal))
  } catch (error) {
    if (error instanceof Failure)
      return finalEvent(`the event can no longer occur: ${oneLine(error.message, MAX_LINE)}`)
    throw error
  }
}

async function waitForEnd(job: Job, signal: AbortSignal): Promise<Happening | undefined> {
  while (job.isRunning && !signal.aborted) await nextChange(job, signal)
  return finalEvent(`background task ${job.id} ended, ${howItEnded(job)}`)
}

async function waitForMatch(
  job: Job,
  pattern: LinePattern,
  { position, repeatsLeft }: CallbackRow,
  signal: AbortSignal,
): Promise<Happening | undefined> {
  // For repeated matches, an incomplete line would match again once it is completed.
  const completeLinesOnly = repeatsLeft < 0 || repeatsLeft > 1
  for (let from = position ?? 0; !signal.aborted;) {
    const wasRunning = job.isRunning
    const changed = nextChange(job, signal)
    const found = await findMatches(job, pattern, from, completeLinesOnly && wasRunning)
    if (found.lines.length > 0) return collectMatches(job, pattern, position ?? 0, completeLinesOnly, found.lines)
    if (!wasRunning)
      return finalEvent(`background task ${job.id} ended, ${howItEnded(job)}, and no further line matched`)
    from = found.next
    await changed
  }
  return undefined
}

async function collectMatches(
  job: Job,
  pattern: LinePattern,
  from: number,
  completeLinesOnly: boolean,
  seen: readonly string[],
): Promise<Happening> {
  await sleep(GATHER_MS, undefined, { ref: false })
  const wasRunning = job.isRunning
  const { lines: found, next } = await findMatches(job, pattern, from, completeLinesOnly && wasRunning)
  // A line that was overwritten meanwhile still counts.
  const lines = found.length > 0 ? found : seen
  const [first = ''] = lines
  const more = lines.length > 1 ? ` and ${lines.length - 1} more that match` : ''
  const event = `background task ${job.id} printed "${oneLine(first, MAX_LINE)}"${more}`
  return { event, position: wasRunning ? next : await job.output.size(), isLast: false }
}

async function findMatches(job: Job, pattern: LinePattern, start: number, completeLinesOnly: boolean) {
  const found: string[] = []
  let next = start
  await job.flush()
  for await (const piece of piecesFrom(job.output, start)) {
    const lines = completeLinesOnly && piece.isOpen ? piece.lines.slice(0, -1) : piece.lines
    found.push(...pattern.matching(lines))
    next = piece.next
  }
  return { lines: found, next }
}

function finalEvent(event: string): Happening {
  return { event, position: null, isLast: true }
}

function nextChange(job: Job, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const finish = (): void => {
      unsubscribe()
      signal.removeEventListener('abort', finish)
      resolve()
    }
    const unsubscribe = job.onChange(finish)
    signal.addEventListener('abort', finish)
    if (signal.aborted || !job.isRunning) finish()
  })
}
