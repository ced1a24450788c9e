// Records the calls of this server after they were answered: builds what is kept of each, in slices that leave most of
// the time to calls, and appends it to the history. What is not stored yet, or never will be because the history is off
// or cannot be written, stays in memory within bounds. Loaded by deferred-call-recorder.ts after the first call. Sets
// timers; writes through the history.

import { setImmediate, setTimeout } from 'node:timers/promises'

import { errorMessage } from '@scorpiox/mcp/errors'
import { formatErrorStack, type Log } from '@scorpiox/mcp/log'
import type { EndedCall } from '@scorpiox/mcp/server/call-log'
import { foldForSearch } from '../../text/normalize-text.js'
import { settlesWithin } from '../../async/timeouts.js'
import { buildCallDetails, type CallSource } from './build-call-details.js'
import type { RecordedCall, CallView } from '../../calls/recorded-call.js'
import type { CallHistory } from './call-history.js'
import { countCharacters, type UserCall } from './call-table.js'

export interface CallRecorder {
  /** Resolves when the calls are in memory or stored. */
  record(calls: readonly CapturedCall[], isUrgent: boolean): Promise<void>
  /** A call that is in memory. */
  find(user: string, id: string): RecordedCall | undefined
  /** The calls in memory that contain a text, newest first. */
  search(user: string, text: string): readonly CallView[]
  /** Stores what is left, as far as it can in this time. */
  close(limitMs: number): Promise<void>
}

export interface CapturedCall extends EndedCall {
  readonly user: string
  /** There were too many at once to keep its input and answer. */
  readonly hasLostDetails?: true
}

export interface CallRecorderDeps {
  readonly history: CallHistory
  readonly log: Log
  /** What it says about the calls of a user. */
  readonly sourceFor: (user: string) => CallSource
}

/** In memory, of all users; the oldest are dropped. */
const MAX_KEPT = 500
const MAX_KEPT_BYTES = 4 * 1024 * 1024
const MAX_BATCH = 250
/** The share of the time that recording may take is one part of this. */
const TIME_SHARE = 4
const MAX_SLICE_MS = 5
const RETRY_MS = 5000

interface KeptCall extends UserCall {
  readonly bytes: number
}

export function createCallRecorder({ history, log, sourceFor }: CallRecorderDeps): CallRecorder {
  const kept = new Map<string, KeptCall>()
  let keptBytes = 0
  let failedAt = Number.NEGATIVE_INFINITY
  let hasWarned = false
  const closing = new AbortController()
  let working = Promise.resolve()
  /** Requests that wait for the recording: meanwhile it makes no pauses. */
  let urgent = 0
  let endPause: (() => void) | undefined

  function hurryUntil(done: Promise<void>): void {
    urgent++
    endPause?.()
    void done.finally(() => urgent--)
  }

  function keep(call: UserCall): void {
    const { details } = call
    const bytes = countCharacters(details)
    kept.set(details.call.id, { ...call, bytes })
    keptBytes += bytes
    for (const [id] of kept) {
      if (kept.size <= MAX_KEPT && keptBytes <= MAX_KEPT_BYTES) break
      drop(id)
    }
  }

  function drop(id: string): void {
    keptBytes -= kept.get(id)?.bytes ?? 0
    kept.delete(id)
  }

  async function recordAll(calls: readonly CapturedCall[]): Promise<void> {
    let sliceStart = performance.now()
    for (const captured of calls) {
      const { user, hasLostDetails = false } = captured
      const details = buildCallDetails(captured, sourceFor(user))
      keep({ user, details: hasLostDetails ? { ...details, input: '', inputOmitted: 1 } : details })
      const spentMs = performance.now() - sliceStart
      if (kept.size >= MAX_BATCH || keptBytes > MAX_KEPT_BYTES / 2) await store()
      if (spentMs > MAX_SLICE_MS) {
        await waitForCalls(TIME_SHARE * spentMs)
        sliceStart = performance.now()
      }
    }
    await store()
  }

  async function waitForCalls(ms: number): Promise<void> {
    if (urgent > 0) return setImmediate()
    const aborter = new AbortController()
    endPause = () => aborter.abort()
    await setTimeout(ms, undefined, { ref: false, signal: aborter.signal }).catch(() => undefined)
    endPause = undefined
  }

  /** Calls that cannot be stored stay in memory, and are tried again with later ones. */
  async function store(): Promise<void> {
    if (!history.isKept || performance.now() - failedAt < RETRY_MS) return
    while (kept.size > 0 && !closing.signal.aborted) {
      const batch = [...kept.values()].slice(0, MAX_BATCH)
      try {
        await history.append(batch)
      } catch (error) {
        failedAt = performance.now()
        if (!hasWarned) log.warn(`the history of calls cannot be written: ${errorMessage(error)}`)
        hasWarned = true
        return
      }
      hasWarned = false
      for (const { details } of batch) drop(details.call.id)
    }
  }

  return {
    record(calls, isUrgent) {
      // One that fails must not prevent those after it.
      const done = working
        .then(() => recordAll(calls))
        .catch((error: unknown) => log.error(`calls cannot be recorded: ${formatErrorStack(error)}`))
      working = done
      if (isUrgent) hurryUntil(done)
      return done
    },
    find(user, id) {
      const found = kept.get(id)
      return found?.user === user ? found.details : undefined
    },
    search(user, text) {
      const folded = foldForSearch(text)
      return [...kept.values()]
        .filter((call) => call.user === user && containsText(call.details, folded))
        .map(({ details }) => details.call)
        .toReversed()
    },
    async close(limitMs) {
      failedAt = Number.NEGATIVE_INFINITY
      working = working.then(store)
      hurryUntil(working)
      // A database that does not answer must not delay the end of the server.
      await settlesWithin(limitMs, working)
      closing.abort()
    },
  }
}

function containsText({ call, input, blocks }: RecordedCall, folded: string): boolean {
  const texts = blocks.flatMap((block) => (block.type === 'text' ? [block.text] : []))
  return [call.tool, input, ...texts].some((text) => foldForSearch(text).includes(folded))
}
