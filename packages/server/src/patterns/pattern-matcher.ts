// Matches lines against the regular expressions of callers. A pattern may take exponential time on some line, so all
// but the simplest run in a thread that is ended when they take too long. One user has one search at a time and a
// budget of computing time, so that others get theirs. Used by shell, callbacks and documents; opened by services.ts of
// the app. Starts threads (worker.ts), on Bun processes.

import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'

import { Failure } from '@scorpiox/mcp/errors'
import { openWorkerThreadPool, WorkerThreadError } from '../process/worker-threads.js'
import { createKeyedMutex } from '../async/concurrency.js'
import { isCheapPattern, isLineSearchResult, type LinePattern, type LineSearch, searchLines } from './line-pattern.js'

const THREADS = { maxThreads: 2, timeoutMs: 1000, idleMs: 30_000, memoryMb: 64 }
/** Characters that are searched at once. */
const BATCH_CHARS = 256 * 1024
/** Searches of one user that wait for their turn; each holds the lines to search. */
const MAX_WAITING = 40

export interface PatternMatcher {
  /** A matcher for lines; its searches count as those of `user`. */
  matcherFor(user: string, pattern: LinePattern): LineMatcher
  close(): Promise<void>
}

export interface LineMatcher {
  /** Returns the lines that match. Rejects with a Failure if that takes too long. */
  filter(lines: readonly string[]): Promise<readonly string[]>
  /** Returns the lines that match, with the position of the first match in each. */
  find(lines: readonly string[]): Promise<readonly LineMatch[]>
}

export interface LineMatch {
  readonly line: string
  readonly index: number
}

export interface PatternMatcherOptions {
  /** Directory of the program's bundles. */
  readonly partsDir: string
  readonly timeoutMs?: number
}

export function openPatternMatcher({ partsDir, ...options }: PatternMatcherOptions): PatternMatcher {
  const limits = { ...THREADS, ...options }
  const file = join(partsDir, 'parts', 'pattern-worker.js')
  const threads = openWorkerThreadPool({ ...limits, file, usesProcessOnBun: true })
  const budget = createTimeBudget()
  const inTurn = createKeyedMutex()
  const waiting = new Map<string, number>()

  async function search(user: string, pattern: LinePattern, lines: readonly string[]): Promise<readonly number[]> {
    const indexes: number[] = []
    for (const batch of splitIntoBatches(lines)) {
      if (isCheapPattern(pattern)) {
        if (indexes.length > 0) await nextTurn()
        indexes.push(...searchLines({ ...pattern, lines: batch, isShort: false }).indexes)
      } else indexes.push(...(await queueForUser(user, () => searchInThread(user, pattern, batch))))
    }
    return indexes
  }

  async function queueForUser<T>(user: string, work: () => Promise<T>): Promise<T> {
    const count = waiting.get(user) ?? 0
    if (count >= MAX_WAITING)
      throw new Failure(`${MAX_WAITING} searches with patterns are waiting: wait until some of them have ended.`)
    waiting.set(user, count + 1)
    try {
      return await inTurn(user, work)
    } finally {
      const left = (waiting.get(user) ?? 1) - 1
      if (left === 0) waiting.delete(user)
      else waiting.set(user, left)
    }
  }

  async function searchInThread(user: string, pattern: LinePattern, lines: readonly string[]) {
    const { source, flags, subject } = pattern
    budget.check(user)
    return (
      (await runSearch(user, { source, flags, lines, isShort: false })) ??
      (await runSearch(user, { source, flags, lines, isShort: true })) ??
      rejectSlowPattern(source, subject)
    )
  }

  /** Undefined if it takes too long. */
  async function runSearch(user: string, lineSearch: LineSearch): Promise<readonly number[] | undefined> {
    try {
      const result = await threads.run(lineSearch)
      if (!isLineSearchResult(result)) throw new Error('The worker thread sent an invalid result')
      // As measured in the thread: the time spent waiting for a thread does not count.
      budget.spend(user, result.ms)
      return result.indexes
    } catch (error) {
      if (!(error instanceof WorkerThreadError)) throw error
      if (error.reason === 'closed') throw new Failure('The server is closing.')
      if (error.reason === 'crashed') throw error
      budget.spend(user, limits.timeoutMs)
      return undefined
    }
  }

  return {
    matcherFor(user, pattern) {
      async function find(lines: readonly string[]): Promise<readonly LineMatch[]> {
        const indexes = await search(user, pattern, lines)
        return lines.flatMap((line, at) => {
          const index = indexes[at] ?? -1
          return index < 0 ? [] : [{ line, index }]
        })
      }
      return { find, filter: async (lines) => (await find(lines)).map(({ line }) => line) }
    },
    close: () => threads.close(),
  }
}

function rejectSlowPattern(source: string, subject: string): never {
  throw new Failure(
    `The pattern ${source} takes too long on this ${subject}. Give a simpler one, without nested repeats.`,
  )
}

function* splitIntoBatches(lines: readonly string[]): Generator<readonly string[]> {
  let start = 0
  let chars = 0
  for (const [at, line] of lines.entries()) {
    chars += line.length
    if (chars < BATCH_CHARS) continue
    yield lines.slice(start, at + 1)
    start = at + 1
    chars = 0
  }
  if (start < lines.length) yield lines.slice(start)
}

// The computing time of each user: a budget that is spent by searches and refills at a share of real time.

const BUDGET_MS = 10_000
const REFILL_SHARE = 0.1

export interface TimeBudget {
  /** Throws a Failure if nothing is left. */
  check(user: string): void
  spend(user: string, ms: number): void
}

/** `now`: a monotonic clock in milliseconds. */
export function createTimeBudget(now = () => performance.now()): TimeBudget {
  // Users who have spent something, with the time at which all of it is refilled.
  const refilledAt = new Map<string, number>()
  const spentBy = (user: string): number => Math.max(0, ((refilledAt.get(user) ?? 0) - now()) * REFILL_SHARE)
  return {
    check(user) {
      const excess = spentBy(user) - BUDGET_MS
      if (excess <= 0) return
      const seconds = Math.ceil(excess / REFILL_SHARE / 1000)
      throw new Failure(
        `Your patterns have used ${BUDGET_MS / 1000} s of computing time. Wait ${seconds} s, or search for plain text without repeats and groups.`,
      )
    },
    spend(user, ms) {
      const spent = spentBy(user) + ms
      for (const [other, time] of refilledAt) if (time <= now()) refilledAt.delete(other)
      refilledAt.set(user, now() + spent / REFILL_SHARE)
    },
  }
}
