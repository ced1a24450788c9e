// One job: a command that runs or ran in the background, with its output on disk. Jobs started here, continued from a
// call, or taken over from another server are read, awaited and killed in the same way.

import type { Exit } from '../../platform/process.js'
import type { OutputReader } from '../../store/output-reader.js'
import type { Ending, JobRecord } from '../../store/job-record.js'

export interface Job {
  readonly id: number
  /** As stored on disk, or about to be stored. */
  readonly record: JobRecord
  readonly isRunning: boolean
  /** Resolves when it has ended, its output is on disk and its record is complete. */
  readonly ended: Promise<void>
  readonly output: OutputReader
  /** Which output could not be stored and why, as a sentence. */
  readonly problem: string | undefined
  /** Resolves when the output printed so far can be read. */
  flush(): Promise<void>
  /** Calls the listener on new output and at the end. Returns a function that unsubscribes. */
  onChange(listener: () => void): () => void
  /** Changes and saves the record. */
  amend(change: Partial<JobRecord>): Promise<void>
  /** Kills its process tree and records the reason. Resolves to the pids that could not be killed. */
  end(endReason: Ending, killAfterMs: number): Promise<readonly number[]>
  /** Processes still running after it ended; undefined if unknown. */
  left(): Promise<readonly number[] | undefined>
  /** Read position of each session. */
  readonly positions: Map<string, number>
}

/** Where the exit and the output of a running job come from. */
export interface Source {
  /** Resolves when it has exited and no more output will be written. */
  readonly over: Promise<Exit>
  flush(): Promise<void>
  problem?(): string | undefined
  onGrowth(listener: () => void): () => void
  end(killAfterMs: number): Promise<readonly number[]>
  left(): Promise<readonly number[] | undefined>
}

export interface JobParts {
  readonly record: JobRecord
  readonly output: OutputReader
  /** Never throws. */
  readonly save: (record: JobRecord) => Promise<void>
  /** Undefined for a job that has ended. */
  readonly source?: Source | undefined
}

export function createJob({ record: initial, output, save, source }: JobParts): Job {
  let record = initial
  let endReason: Ending | undefined
  let isRunning = source !== undefined
  const listeners = new Set<() => void>()
  const notify = (): void => {
    for (const listener of listeners) listener()
  }
  const unsubscribe = source?.onGrowth(notify)

  async function finish({ code, signal }: Exit): Promise<void> {
    unsubscribe?.()
    const defaultReason: Ending = code === null ? 'unknown' : 'exit'
    record = { ...record, endedAt: Date.now(), exitCode: code, signal, ending: endReason ?? defaultReason }
    await save(record)
    isRunning = false
    notify()
    listeners.clear()
  }

  return {
    id: initial.id,
    get record() {
      return record
    },
    get isRunning() {
      return isRunning
    },
    ended: source ? source.over.then(finish) : Promise.resolve(),
    output,
    get problem() {
      return source?.problem?.()
    },
    positions: new Map(),
    flush: async () => source?.flush(),
    onChange(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    async amend(change) {
      record = { ...record, ...change }
      await save(record)
      notify()
    },
    async end(killReason, killAfterMs) {
      // It may have exited and left processes running.
      if (isRunning) endReason ??= killReason
      const survivors = (await source?.end(killAfterMs)) ?? []
      if (survivors.length === 0) await this.ended
      return survivors
    },
    left: async () => (isRunning ? undefined : source?.left()),
  }
}
