// One job: a command that runs or ran in the background, with its output on disk. Jobs started here, continued from a call,
// or taken over from another server are read, awaited and killed in the same way. Created by user-jobs. No I/O of its own:
// exit and output come from a JobSource, and the record is stored by the given function `save`.

import type { InputPipe } from '../../process/input-pipe.js'
import type { ExitStatus } from '../../process/spawn.js'
import type { JobEnding, JobRecord } from './job-record.js'
import type { JobOutputReader } from './output-reader.js'

export interface Job {
  readonly id: number
  /** As stored on disk, or about to be stored. */
  readonly record: JobRecord
  readonly isRunning: boolean
  /** Resolves when it has ended, its output is on disk and its record is complete. */
  readonly ended: Promise<void>
  readonly output: JobOutputReader
  /** Which output could not be stored and why, or why the server ended the job, in sentences. */
  readonly outputProblem: string | undefined
  /** Resolves when the output printed so far can be read. */
  flush(): Promise<void>
  /** The position of the last ESC printed, -1 if there was none; undefined if unknown. */
  lastEscapeAt(): number | undefined
  /** Calls the listener on new output and at the end. Returns a function that unsubscribes. */
  onChange(listener: () => void): () => void
  /** Resolves on new output, at the end, and if the signal aborts; at once if it has ended. */
  nextChange(signal: AbortSignal): Promise<void>
  /** Changes and saves the record. */
  update(change: Partial<JobRecord>): Promise<void>
  /** Kills its process tree and records the reason. Resolves to the pids that could not be killed. */
  kill(endReason: JobEnding, killAfterMs: number): Promise<readonly number[]>
  /** Processes still running after it ended; undefined if unknown. */
  leftoverPids(): Promise<readonly number[] | undefined>
  /** Whether its processes could not be listed when it was last killed, and may still run. */
  readonly areLeftoversUnlisted: boolean
  /** What is written here is typed into it; undefined if its stdin is empty, or it has ended. */
  readonly stdin: InputPipe | undefined
  /** Read position of each session. */
  readonly readPositions: Map<string, number>
}

/** Where the exit and the output of a running job come from. */
export interface JobSource {
  /** Resolves when it has exited and no more output will be written. */
  readonly exited: Promise<ExitStatus>
  flush(): Promise<void>
  lastEscapeAt?(): number
  outputProblem?(): string | undefined
  onGrowth(listener: () => void): () => void
  kill(killAfterMs: number): Promise<readonly number[]>
  readonly leftovers: LeftoverProcesses
  readonly stdin?: InputPipe | undefined
}

/** Processes that a job has left running. Kept as long as the job is known, so it must not refer to its output. */
export interface LeftoverProcesses {
  kill(killAfterMs: number): Promise<readonly number[]>
  /** Undefined if unknown. */
  find(): Promise<readonly number[] | undefined>
  /** Whether they could not be listed when they were last killed, and may still run. */
  areUnlisted?(): boolean
}

export interface JobDeps {
  readonly record: JobRecord
  readonly output: JobOutputReader
  /** Never throws. */
  readonly save: (record: JobRecord) => Promise<void>
  /** Undefined for a job that has ended. */
  readonly source?: JobSource | undefined
}

export function createJob(deps: JobDeps): Job {
  const { output, save } = deps
  let { record } = deps
  // Dropped at the end: it refers to the buffers of the command, and the output is on disk by then.
  let { source } = deps
  let leftovers: LeftoverProcesses | undefined
  let outputProblem: string | undefined
  let endReason: JobEnding | undefined
  let isRunning = source !== undefined
  const listeners = new Set<() => void>()
  const notify = (): void => {
    for (const listener of listeners) listener()
  }
  let unsubscribe = source?.onGrowth(notify)

  async function finish({ code, signal }: ExitStatus): Promise<void> {
    unsubscribe?.()
    unsubscribe = undefined
    const defaultReason: JobEnding = code === null ? 'unknown' : 'exit'
    record = { ...record, endedAt: Date.now(), exitCode: code, signal, ending: endReason ?? defaultReason }
    await save(record)
    isRunning = false
    outputProblem = source?.outputProblem?.()
    leftovers = source?.leftovers
    source = undefined
    notify()
    listeners.clear()
  }

  return {
    id: record.id,
    get record() {
      return record
    },
    get isRunning() {
      return isRunning
    },
    ended: source ? source.exited.then(finish) : Promise.resolve(),
    output,
    get outputProblem() {
      return source ? source.outputProblem?.() : outputProblem
    },
    get stdin() {
      return isRunning ? source?.stdin : undefined
    },
    readPositions: new Map(),
    flush: async () => source?.flush(),
    lastEscapeAt: () => source?.lastEscapeAt?.(),
    onChange(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    nextChange(signal) {
      return new Promise((resolve) => {
        const settle = (): void => {
          listeners.delete(settle)
          signal.removeEventListener('abort', settle)
          resolve()
        }
        listeners.add(settle)
        signal.addEventListener('abort', settle)
        if (signal.aborted || !isRunning) settle()
      })
    },
    async update(change) {
      record = { ...record, ...change }
      await save(record)
      notify()
    },
    async kill(killReason, killAfterMs) {
      // It may have exited and left processes running.
      if (isRunning) endReason ??= killReason
      const survivors = (await (source ?? leftovers)?.kill(killAfterMs)) ?? []
      if (survivors.length === 0) await this.ended
      return survivors
    },
    leftoverPids: async () => leftovers?.find(),
    get areLeftoversUnlisted() {
      return (source?.leftovers ?? leftovers)?.areUnlisted?.() ?? false
    },
  }
}
