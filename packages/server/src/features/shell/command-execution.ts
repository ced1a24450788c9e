// One running command. Its output goes to the renderer (for the result) and to the buffer (for the job file). Killing
// it kills its process tree.

import { statSync } from 'node:fs'

import type { Caller } from '@scorpiox/mcp/definitions/caller'
import { errorMessage, Failure } from '@scorpiox/mcp/errors'
import { startHeartbeat } from '../../calls/progress-heartbeat.js'
import type { RunningCommand, RunRequest } from '../../process/command-runner.js'
import { noteBytesRead } from '../../process/garbage-collector.js'
import { readProcessName } from '../../process/process-tags.js'
import { describeMissingShell } from '../../process/shell-program.js'
import type { ExitStatus } from '../../process/spawn.js'
import { createDeferred } from '../../util/async.js'
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
    command: request.command,
    startedAt,
    tag: child.tag,
    note: request.sandbox?.failureNote,
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

  async function record(): Promise<Job | undefined> {
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
    execution,
    recorded: async () => recording,
    record: () => (recording ??= record()),
    get recordProblem() {
      return problem
    },
  }
}

/** A command that is never recorded. */
export function withoutRecording(execution: CommandExecution): ForegroundCommand {
  return { execution, recorded: noJob, record: noJob, recordProblem: undefined }
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

// Reports the latest output line of a running command as progress, at most four times a second. If there is no new line
// for a while, the last one is repeated with the elapsed time, to show that the command still runs.

const MIN_INTERVAL_MS = 250

/** Returns a function that stops it. */
export function reportLatestLine(execution: CommandExecution, report: (line: string) => void): () => void {
  let reportedAt = -Infinity
  let timer: NodeJS.Timeout | undefined

  const heartbeat = startHeartbeat((seconds) => {
    reportedAt = performance.now()
    report(`${execution.renderer.latestLine()} [${seconds} s]`.trimStart())
  })

  function reportNow(): void {
    timer = undefined
    reportedAt = performance.now()
    heartbeat.restart()
    report(execution.renderer.latestLine())
  }

  const unsubscribe = execution.onOutput(() => {
    if (timer !== undefined) return
    const wait = MIN_INTERVAL_MS - (performance.now() - reportedAt)
    if (wait <= 0) return reportNow()
    heartbeat.restart()
    timer = setTimeout(reportNow, wait)
  })
  return () => {
    unsubscribe()
    heartbeat.stop()
    clearTimeout(timer)
  }
}

/** Explains why a command could not be started, and what to do about it. */
export function explainStartError(error: unknown, cwd: string): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'E2BIG' || code === 'ENAMETOOLONG') return 'it is too long. Write it to a file and run that file.'
  if (code === 'EMFILE' || code === 'ENFILE') return 'the system is out of open files. Wait for other commands to end.'
  if (code === 'EAGAIN') return 'the system is out of processes. Wait for other commands to end.'
  if (code === 'ENOMEM') return 'the system is out of memory. Wait for other commands to end.'
  if (code === 'ENOSPC') return 'the disk for temporary files is full. Make room, then run it again.'
  if (error instanceof Error && 'syscall' in error && error.syscall === 'mkdtemp')
    return `there is no place for temporary files (${error.message}). Set TMPDIR to a folder that can be written to.`
  const directory = findDirectoryProblem(cwd)
  if (directory !== undefined) return directory
  if (code === 'ENOENT') return describeMissingShell(process.platform)
  const reason = errorMessage(error)
  return `${reason}. Run it again; if that does not help, \`scorpiox-code doctor\` says what is missing.`
}

function findDirectoryProblem(cwd: string): string | undefined {
  const directory = `the directory ${cwd}`
  const advice = 'Create it, or start the server with --cwd and an existing directory.'
  try {
    const stat = statSync(cwd, { throwIfNoEntry: false })
    if (!stat) return `${directory} does not exist. ${advice}`
    return stat.isDirectory() ? undefined : `${cwd} is not a directory. ${advice}`
  } catch (error) {
    return `${directory} cannot be used (${errorMessage(error)}). ${advice}`
  }
}
