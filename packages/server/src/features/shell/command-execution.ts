// One running command. Its output goes to the renderer (for the result) and to the buffer (for the job file). Killing
// it kills its process tree.

import type { Caller } from '@scorpiox/mcp/definitions/caller'
import { Failure } from '@scorpiox/mcp/errors'
import type { RunningCommand, RunRequest } from '../../process/command-runner.js'
import { readProcessName } from '../../process/process-tags.js'
import { createDeferred } from '../../util/async.js'
import type { JobService } from './job-service.js'
import type { Job } from './job.js'
import { createOutputBuffer, type OutputBuffer } from './output-buffer.js'
import { createOutputRenderer, type OutputRenderer } from './output-renderer.js'

export interface CommandExecution extends Omit<RunningCommand, 'pause' | 'resume'> {
  readonly command: string
  readonly startedAt: number
  /** Possible reason of a failure, such as the sandbox. */
  readonly note: string | undefined
  readonly renderer: OutputRenderer
  readonly buffer: OutputBuffer
  /** Calls the listener for every chunk of output. Returns a function that unsubscribes. */
  onOutput(listener: () => void): () => void
}

export interface StartCommandOptions {
  readonly launch: (request: RunRequest) => Promise<RunningCommand>
  readonly request: Omit<RunRequest, 'onOutput' | 'onGap' | 'onTag'>
  readonly maxCharacters: number
  /** Characters of a line that are shown; see OutputLimits. */
  readonly maxLine?: number | undefined
  readonly maxBufferedBytes: number
  /** Called once, when the output no longer fits into the buffer. */
  readonly onOverflow?: ((execution: CommandExecution) => void) | undefined
}

export async function startCommand(settings: StartCommandOptions): Promise<CommandExecution> {
  const { launch, request, maxCharacters, maxLine, maxBufferedBytes, onOverflow = () => {} } = settings
  const startedAt = Date.now()
  const renderer = createOutputRenderer({ maxCharacters, maxLine })
  const listeners = new Set<() => void>()
  // Output may arrive before `launch` resolves.
  const started = createDeferred<CommandExecution & RunningCommand>()
  const buffer = createOutputBuffer({
    maxBufferedBytes,
    onOverflow: () => void started.promise.then(onOverflow),
    pause: () => void started.promise.then(({ pause }) => pause()),
    resume: () => void started.promise.then(({ resume }) => resume()),
  })
  const running = await launch({
    ...request,
    onGap: (bytes) => renderer.markGap(bytes),
    onOutput(chunk) {
      renderer.write(chunk)
      buffer.write(chunk)
      for (const listener of listeners) listener()
    },
  })
  const execution = {
    ...running,
    command: request.command,
    startedAt,
    note: request.sandbox?.failureNote,
    renderer,
    buffer,
    onOutput(listener: () => void) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
  started.resolve(execution)
  return execution
}

// The record of a command that a call waits for. It becomes a job only when needed: if its output is too long to be
// shown whole, or if it continues in the background.

export interface CommandRecord {
  /** The job that records it; undefined if it is not recorded. */
  readonly job: Promise<Job | undefined> | undefined
  /** Records it as a job. Undefined if that fails; `problem` then has the reason. */
  readonly save: (execution: CommandExecution) => Promise<Job | undefined>
  readonly problem: string | undefined
}

export function createCommandRecord(jobs: () => Promise<JobService>, caller: Caller): CommandRecord {
  let job: Promise<Job | undefined> | undefined
  let problem: string | undefined

  async function saveOnce(execution: CommandExecution): Promise<Job | undefined> {
    try {
      return await (await jobs()).recordRunning(execution, caller)
    } catch (error) {
      execution.buffer.discard()
      if (!(error instanceof Failure)) throw error
      problem = error.message
      return undefined
    }
  }

  return {
    get job() {
      return job
    },
    save: (execution) => (job ??= saveOnce(execution)),
    get problem() {
      return problem
    },
  }
}

/** The record of a command that was started as a job, or, without a job, of one that is never recorded. */
export function fixedRecord(job?: Job): CommandRecord {
  const resolved = Promise.resolve(job)
  return { job: resolved, save: () => resolved, problem: undefined }
}

// A process that a command started and that still runs after the command has exited.

export interface LeftoverProcess {
  readonly pid: number
  readonly name: string
}

export function toLeftoverProcesses(pids: readonly number[]): readonly LeftoverProcess[] {
  return pids.map((pid) => ({ pid, name: readProcessName(pid) ?? '?' }))
}
