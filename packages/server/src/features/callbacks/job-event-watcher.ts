// Watches jobs for callbacks that wait for their end or for matching lines, and reports each event to its listener. Lines
// within one second are one event. If the event can no longer occur, a final event reports that. Used by callback-sync.
// Reads the output of jobs; writes nothing.

import { setTimeout as sleep } from 'node:timers/promises'

import { Failure } from '@scorpiox/mcp/errors'
import { parseLinePattern } from '../../patterns/line-pattern.js'
import type { LineMatcher, PatternMatcher } from '../../patterns/pattern-matcher.js'
import { toSingleLine } from '../../text/format.js'
import { quoteUntrustedLine } from '../../text/untrusted-text.js'
import { describeJobEnd, type Job, type JobService } from '../shell/index.js'
import { readLinesFrom } from '../shell/lazy.js'
import type { CallbackRow } from './callback-table.js'
import type { JobEvent } from './fire-callback.js'

const GATHER_MS = 1000
const MAX_LINE = 300

export interface JobEventWatcher {
  /** Replaces the callbacks of one user that wait for a job, in the sessions leased by this process. */
  setCallbacks(user: string, callbacks: readonly CallbackRow[]): void
  close(): void
}

export interface JobEventWatcherDeps {
  readonly jobs: () => Promise<JobService>
  readonly patterns: () => Promise<PatternMatcher>
  readonly onEvent: (user: string, callback: CallbackRow, jobEvent: JobEvent) => void
  readonly onError: (error: unknown) => void
}

export function createJobEventWatcher(deps: JobEventWatcherDeps): JobEventWatcher {
  const { onEvent, onError } = deps
  const watched = new Map<string, Map<string, AbortController>>()

  async function watch(user: string, callback: CallbackRow, signal: AbortSignal): Promise<void> {
    try {
      const jobEvent = await waitForJobEvent(deps, user, callback, signal)
      if (jobEvent && !signal.aborted) onEvent(user, callback, jobEvent)
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
    setCallbacks(user, callbacks) {
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
  { jobs, patterns }: JobEventWatcherDeps,
  user: string,
  callback: CallbackRow,
  signal: AbortSignal,
): Promise<JobEvent | undefined> {
  const { job: id, pattern, session } = callback
  if (id === null) return undefined
  try {
    const job = await (await jobs()).find(id, { user, session })
    if (pattern === null) return await waitForEnd(job, signal)
    const matcher = (await patterns()).matcherFor(user, parseLinePattern(pattern))
    return await waitForMatch(job, matcher, callback, signal)
  } catch (error) {
    if (error instanceof Failure)
      return finalEvent(`the event can no longer occur: ${toSingleLine(error.message, MAX_LINE)}`)
    throw error
  }
}

async function waitForEnd(job: Job, signal: AbortSignal): Promise<JobEvent | undefined> {
  while (job.isRunning && !signal.aborted) await job.nextChange(signal)
  return finalEvent(`job ${job.id} ended, ${describeJobEnd(job)}`)
}

async function waitForMatch(
  job: Job,
  pattern: LineMatcher,
  { position, repeatsLeft }: CallbackRow,
  signal: AbortSignal,
): Promise<JobEvent | undefined> {
  // For repeated matches, an incomplete line would match again once it is completed.
  const completeLinesOnly = repeatsLeft < 0 || repeatsLeft > 1
  for (let from = position ?? 0; !signal.aborted;) {
    const wasRunning = job.isRunning
    const changed = job.nextChange(signal)
    const found = await findMatches(job, pattern, from, completeLinesOnly && wasRunning)
    if (found.lines.length > 0) return collectMatches(job, pattern, position ?? 0, completeLinesOnly, found.lines)
    if (!wasRunning) return finalEvent(`job ${job.id} ended, ${describeJobEnd(job)}, and no further line matched`)
    from = found.next
    await changed
  }
  return undefined
}

async function collectMatches(
  job: Job,
  pattern: LineMatcher,
  from: number,
  completeLinesOnly: boolean,
  seen: readonly string[],
): Promise<JobEvent> {
  await sleep(GATHER_MS, undefined, { ref: false })
  const wasRunning = job.isRunning
  const { lines: found, next } = await findMatches(job, pattern, from, completeLinesOnly && wasRunning)
  // A line that was overwritten meanwhile still counts.
  const lines = found.length > 0 ? found : seen
  const [first = ''] = lines
  const more = lines.length > 1 ? ` and ${lines.length - 1} more matching lines` : ''
  const event = `job ${job.id} printed ${quoteUntrustedLine(first, MAX_LINE)}${more}`
  return { event, position: wasRunning ? next : await job.output.size(), isLast: false }
}

async function findMatches(job: Job, pattern: LineMatcher, start: number, completeLinesOnly: boolean) {
  const found: string[] = []
  let next = start
  await job.flush()
  for await (const piece of readLinesFrom(job.output, start)) {
    const lines = completeLinesOnly && piece.lastLineIsIncomplete ? piece.lines.slice(0, -1) : piece.lines
    found.push(...(await pattern.filter(lines)))
    next = piece.next
  }
  return { lines: found, next }
}

function finalEvent(event: string): JobEvent {
  return { event, position: null, isLast: true }
}
