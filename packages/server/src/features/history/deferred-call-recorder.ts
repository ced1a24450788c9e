// Captures the calls of this server at their end, and has them recorded soon after: in the call itself only references
// are queued. The queue is bounded in number and size; the details of calls that do not fit are dropped. Created by
// services.ts of the app. Sets a timer; loads the recorder after the first call.

import type { CallLog, EndedCall } from '@scorpiox/mcp/server/call-log'
import type { CallRecorder, CapturedCall } from './call-recorder.js'

export interface DeferredCallRecorder {
  /** With every call that has ended. */
  open(): Promise<CallRecorder>
  /** Stores what is left. */
  close(): Promise<void>
}

/** The loop serves calls first; a person who looks at a call waits no longer than this. */
const DELAY_MS = 300
const MAX_WAITING = 5000
const MAX_WAITING_SIZE = 32 * 1024 * 1024
const MAX_CLOSE_MS = 3000

export function createDeferredCallRecorder(
  callLog: CallLog,
  openRecorder: () => Promise<CallRecorder>,
  onError: (error: unknown) => void,
): DeferredCallRecorder {
  let waiting: CapturedCall[] = []
  let waitingSize = 0
  let timer: NodeJS.Timeout | undefined
  let recording: Promise<void> | undefined
  let isUsed = false
  let hasFailed = false

  const unsubscribe = callLog.subscribe(({ caller, ended }) => {
    if (!ended) return
    isUsed = true
    const size = estimateSize(ended.call.input) + (ended.call.answer?.length ?? 0)
    const fits = waitingSize + size <= MAX_WAITING_SIZE
    if (fits) waitingSize += size
    waiting.push(fits ? { user: caller.user, ...ended } : { user: caller.user, ...withoutDetails(ended) })
    if (waiting.length > MAX_WAITING) waiting.splice(0, MAX_WAITING / 10)
    schedule()
  })

  function schedule(): void {
    if (!recording) timer ??= setTimeout(() => void record(false), DELAY_MS).unref()
  }

  function record(isUrgent: boolean): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    const calls = waiting
    waiting = []
    waitingSize = 0
    const done = recordCalls(calls, isUrgent)
    recording = done
    void done.finally(() => {
      if (recording !== done) return
      recording = undefined
      if (waiting.length > 0) schedule()
    })
    return done
  }

  async function recordCalls(calls: readonly CapturedCall[], isUrgent: boolean): Promise<void> {
    try {
      const recorder = await openRecorder()
      await recorder.record(calls, isUrgent)
    } catch (error) {
      // Its code cannot be loaded, such as after an update under the running server.
      if (!hasFailed) onError(error)
      hasFailed = true
    }
  }

  return {
    async open() {
      await record(true)
      return openRecorder()
    },
    async close() {
      unsubscribe()
      if (!isUsed) return
      void record(true)
      await openRecorder().then((recorder) => recorder.close(MAX_CLOSE_MS), onError)
    },
  }
}

function withoutDetails({ summary, call }: EndedCall): Omit<CapturedCall, 'user'> {
  return { summary, call: { ...call, input: undefined, answer: undefined }, hasLostDetails: true }
}

/** Values that are looked at: a call must not wait for this. */
const MAX_VALUES = 1000
/** What a message with more values may contain. */
const LARGE = MAX_WAITING_SIZE / 4

/** Characters of the texts and names in a value; of one with many values a guess. */
function estimateSize(value: unknown): number {
  const values: unknown[] = [value]
  let size = 0
  for (const each of values) {
    if (typeof each === 'string') size += each.length
    else if (Array.isArray(each)) {
      // The names of a large array would take milliseconds.
      for (const item of each) if (values.push(item) > MAX_VALUES) return size + LARGE
    } else if (typeof each === 'object' && each !== null) {
      for (const name in each) {
        size += name.length
        if (values.push(Reflect.get(each, name)) > MAX_VALUES) return size + LARGE
      }
    }
  }
  return size
}
