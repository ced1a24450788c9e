// One running command. Its output goes to the renderer (for the result) and to the buffer (for the job file). Killing
// it kills its process tree.

import type { Caller } from '@scorpiox/mcp/definitions/caller'
import { Failure } from '@scorpiox/mcp/errors'
import type { RunningCommand, RunRequest } from '../../process/command-runner.js'
import { noteBytesRead } from '../../process/garbage-collector.js'
import { readProcessName } from '../../process/process-tags.js'
import type { ExitStatus } from '../../process/spawn.js'
import { createDeferred } from '../../util/async.js'
import { toRecordedCommand } from './job-record.js'
import type { JobService } from './job-service.js'
import type { Job } from './job.js'
import { createOutputBuffer, type OutputBuffer } from './output-buffer.js'
import { createOutputRenderer, type OutputRenderer } from './output-renderer.js'

/** Time for children to exit after their parent before they count as left running. */
const CHILD_EXIT_GRACE_MS = 50

export interface CommandExecution {
  readonly command: string
  readonly startedAt: number
  readonly tag: string
  /** Possible reason of a failure, such as the sandbox. */
  readonly note: string | undefined
  /** Why the server ended it, as sentences; undefined if it did not. */
  readonly endReason: string | undefined
  readonly renderer: OutputRenderer
  readonly buffer: OutputBuffer
  /** Resolves when it has exited and its last output has been received. */
  readonly exited: Promise<ExitStatus>
  /** Calls the listener for every chunk of output. Returns a function that unsubscribes. */
  onOutput(listener: () => void): () => void
  /** Resolves to the pids that could not be killed. */
  kill(killAfterMs: number): Promise<readonly number[]>
  /** Processes still running after it exited; undefined if the platform cannot tell. */
  leftoverPids(): Promise<readonly number[] | undefined>
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
  const started = createDeferred<{ readonly child: RunningCommand; readonly work: CommandExecution }>()
  const buffer = createOutputBuffer({
    maxBufferedBytes,
    onOverflow: () => void started.promise.then(({ work: execution }) => onOverflow(execution)),
    pause: () => void started.promise.then(({ child }) => child.pause()),
    resume: () => void started.promise.then(({ child }) => child.resume()),
  })
  const child = await launch({
    ...request,
    onGap: (bytes) => renderer.markGap(bytes),
    onOutput(chunk) {
      renderer.write(chunk)
      buffer.write(chunk)
      noteBytesRead(chunk.length)
      for (const listener of listeners) listener()
    },
  })
  const execution: CommandExecution = {
    command: toRecordedCommand(request.command),
    startedAt,
    tag: child.tag,
    note: request.sandbox?.failureNote,
    get endReason() {
      return child.endReason()
    },
    renderer,
    buffer,
    exited: waitForLastOutput(child),
    onOutput(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    kill: (killAfterMs) => child.kill(killAfterMs),
    async leftoverPids() {
      if (child.findRemainingChildren()?.length === 0) return []
      await new Promise((resolve) => setTimeout(resolve, CHILD_EXIT_GRACE_MS))
      return child.findRemainingChildren()
    },
  }
  started.resolve({ child, work: execution })
  return execution
}

async function waitForLastOutput(child: RunningCommand): Promise<ExitStatus> {
  const exit = await child.exited
  await child.waitForOutput()
  child.ignoreOutput()
  return exit
}

// A command that a call waits for. It is recorded as a job only when needed: if its output is too long to be shown
// whole, or if it continues in the background.

export interface ForegroundCommand {
  readonly execution: CommandExecution
  /** The job that records it; undefined if it is not recorded. */
  recorded(): Promise<Job | undefined>
  /** Records it as a job. Undefined if that fails; `recordProblem` then has the reason. */
  record(): Promise<Job | undefined>
  /** Records it as a background job. Undefined if that fails, or if too many are running. */
  moveToBackground(): Promise<Job | undefined>
  readonly recordProblem: string | undefined
}

export function createForegroundCommand(
  execution: CommandExecution,
  jobs: () => Promise<JobService>,
  caller: Caller,
  recorded?: Job,
): ForegroundCommand {
  let recording: Promise<Job | undefined> | undefined = recorded && Promise.resolve(recorded)
  let problem: string | undefined

  async function record(background: boolean): Promise<Job | undefined> {
    try {
      return await (await jobs()).recordRunning(execution, caller, background)
    } catch (error) {
      execution.buffer.discard()
      return reportProblem(error)
    }
  }

  async function moveToBackground(): Promise<Job | undefined> {
    if (!recording) return (recording = record(true))
    const job = await recording
    if (!job) return undefined
    try {
      await (await jobs()).moveToBackground(job)
      return job
    } catch (error) {
      return reportProblem(error)
    }
  }

  function reportProblem(error: unknown): undefined {
    if (!(error instanceof Failure)) throw error
    problem = error.message.replace(/\.$/, '')
  }

  return {
    execution,
    recorded: async () => recording,
    record: () => (recording ??= record(false)),
    moveToBackground,
    get recordProblem() {
      return problem
    },
  }
}

/** A command that is never recorded. */
export function withoutRecording(execution: CommandExecution): ForegroundCommand {
  return { execution, recorded: noJob, record: noJob, moveToBackground: noJob, recordProblem: undefined }
}

function noJob(): Promise<undefined> {
  return Promise.resolve(undefined)
}

// A process that a command started and that still runs after the command has exited.

export interface LeftoverProcess {
  readonly pid: number
  readonly name: string
}

export function toLeftoverProcesses(pids: readonly number[]): readonly LeftoverProcess[] {
  return pids.map((pid) => ({ pid, name: readProcessName(pid) ?? '?' }))
}
