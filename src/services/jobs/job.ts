// One job: a command that runs behind, or ran, with what it printed on disk. Wherever it came from (started here, grown
// out of a call, or taken over from a server that is gone), it is read, awaited and ended in the same way.

import type { Exit } from '../../platform/process.js'
import type { OutputReader } from '../../store/output-reader.js'
import type { Ending, JobRecord } from '../../store/job-record.js'

export interface Job {
  readonly id: number
  /** As it is on disk, or is about to be. */
  readonly record: JobRecord
  readonly isRunning: boolean
  /** When it has ended, its last bytes are on disk and its record says how. */
  readonly ended: Promise<void>
  readonly output: OutputReader
  /** What of its output could not be kept and why, in a sentence. */
  readonly problem: string | undefined
  /** Resolves when what has been printed so far can be read. */
  flush(): Promise<void>
  /** Told when there is more output, and of the end. Returns the way out. */
  onChange(listener: () => void): () => void
  /** Changes what is remembered of it. */
  amend(change: Partial<JobRecord>): Promise<void>
  /** Ends it with everything it started; the reason is remembered. Gives the processes that could not be killed. */
  end(reason: Ending, killAfterMs: number): Promise<readonly number[]>
  /** What it started that still runs, once it has ended; undefined where that is not known. */
  left(): Promise<readonly number[] | undefined>
  /** Where each reader has read up to. */
  readonly positions: Map<string, number>
}

/** Where a running job comes from. */
export interface Source {
  /** When it is over and nothing more will be written. */
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
  /** None: it has ended. */
  readonly source?: Source | undefined
}

export function createJob({ record: first, output, save, source }: JobParts): Job {
  let record = first
  let reason: Ending | undefined
  let isRunning = source !== undefined
  const listeners = new Set<() => void>()
  const tell = (): void => {
    for (const listener of listeners) listener()
  }
  const stopListening = source?.onGrowth(tell)

  async function finish({ code, signal }: Exit): Promise<void> {
    stopListening?.()
    const unseen: Ending = code === null ? 'unknown' : 'exit'
    record = { ...record, endedAt: Date.now(), exitCode: code, signal, ending: reason ?? unseen }
    await save(record)
    isRunning = false
    tell()
    listeners.clear()
  }

  return {
    id: first.id,
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
      tell()
    },
    async end(why, killAfterMs) {
      // It may be over and have left something running.
      if (isRunning) reason ??= why
      const survivors = (await source?.end(killAfterMs)) ?? []
      if (survivors.length === 0) await this.ended
      return survivors
    },
    left: async () => (isRunning ? undefined : source?.left()),
  }
}
