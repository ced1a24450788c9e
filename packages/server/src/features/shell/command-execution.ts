// One running command (startCommand). Its output goes to the renderer (for the result) and to the buffer (for the job
// file). Killing it kills its process tree. Also its record as a job, the report of its latest line as progress, the
// processes that it leaves running, and the explanation of start errors. Used by shell-service and the job modules. Starts
// processes. Sets timers.

import { statSync } from 'node:fs'

import type { CallContext } from '@scorpiox/mcp/definitions/call-context'
import type { Caller } from '@scorpiox/mcp/definitions/caller'
import { errorMessage, Failure } from '@scorpiox/mcp/errors'
import { startHeartbeat } from '../../calls/progress-heartbeat.js'
import type { RunningCommand, RunRequest } from '../../process/command-runner.js'
import { readProcessName } from '../../process/process-tags.js'
import { describeMissingShell } from '../../process/shell-program.js'
import type { CommandSandbox } from '../../sandbox/command-sandbox.js'
import { createSecretRedactor } from '../../text/secret-redactor.js'
import { createDeferred } from '../../async/timeouts.js'
import type { CommandEnvironment, ProjectEnvironment } from './environment/project-environment.js'
import type { CommandSecrets } from '../secrets/index.js'
import { toRecordedCommand } from './job-record.js'
import type { JobService } from './job-service.js'
import type { Job } from './job.js'
import { createOutputBuffer, type OutputBuffer } from './output-buffer.js'
import { createOutputRenderer, type OutputRenderer } from './output-renderer.js'

export interface CommandExecution extends Omit<RunningCommand, 'pause' | 'resume'> {
  readonly command: string
  readonly startedAt: number
  /** Possible reasons of a failure, such as the sandbox, as sentences. */
  readonly note: string | undefined
  /** A sentence for the result in any case. */
  readonly notice: string | undefined
  /** Of the call that waits for it; undefined if none does. */
  readonly signal: AbortSignal | undefined
  readonly sandboxKey: string | undefined
  readonly renderer: OutputRenderer
  readonly buffer: OutputBuffer
  /** Calls the listener for every chunk of output. Returns a function that unsubscribes. */
  onOutput(listener: () => void): () => void
}

export interface StartCommandOptions {
  readonly launch: (request: RunRequest) => Promise<RunningCommand>
  /** Explains why `launch` has failed. */
  readonly toFailure: (error: unknown) => Failure
  readonly request: Omit<RunRequest, 'onOutput' | 'onGap' | 'onTag' | 'sandbox' | 'variables'>
  readonly caller: Caller
  /** Asked for each command. Rejects if a required sandbox is not available. */
  readonly sandbox: Pick<CommandSandbox, 'sandboxFor'>
  /** Asked for each command, if it is to have the environment of the project. */
  readonly environment?: ProjectEnvironment | undefined
  /** Redacts its output, and receives its questions for passwords. */
  readonly secrets?: CommandSecrets | undefined
  /** The command may not write persistent files. */
  readonly isReadOnly?: boolean
  /** Called before the command is started; rejects if it may not run. Undefined: nothing to wait for. */
  readonly authorize?: (() => Promise<void> | undefined) | undefined
  /** The call that waits for the command: once it is cancelled, the command is not started. */
  readonly call?: Pick<CallContext, 'signal'> | undefined
  readonly maxCharacters: number
  /** Characters of a line that are shown; see OutputLimits. */
  readonly maxLine?: number | undefined
  readonly maxBufferedBytes: number
  /** Called once, when the output no longer fits into the buffer. */
  readonly onOverflow?: ((execution: CommandExecution) => void) | undefined
}

const NO_ENVIRONMENT: CommandEnvironment = {}
const NO_VALUES: readonly Buffer[] = []

/** Prepares what receives the output, then asks whether and in which sandbox the command may run, then starts it. */
export async function startCommand(settings: StartCommandOptions): Promise<CommandExecution> {
  const { request, caller, sandbox, secrets, isReadOnly, call, onOverflow = () => {} } = settings
  const renderer = createOutputRenderer(settings)
  const listeners = new Set<() => void>()
  // Output may arrive before `launch` resolves.
  const started = createDeferred<CommandExecution & RunningCommand>()
  const buffer = createOutputBuffer({
    maxBufferedBytes: settings.maxBufferedBytes,
    onOverflow: () => void started.promise.then(onOverflow),
    pause: () => void started.promise.then(({ pause }) => pause()),
    resume: () => void started.promise.then(({ resume }) => resume()),
  })
  const command = toRecordedCommand(request.command)
  const authorizing = settings.authorize?.()
  if (authorizing) await authorizing
  // After the user was asked: a plan may have been opened meanwhile.
  const sandboxFactory = await sandbox.sandboxFor(caller, isReadOnly)
  const { variables, problem, notice } = settings.environment ? await settings.environment(caller) : NO_ENVIRONMENT
  const signal = call?.signal
  if (signal?.aborted === true) throw new Failure('The command was not started: its call was cancelled.')
  const startedAt = Date.now()
  const onOutput = (chunk: Buffer): void => {
    renderer.write(chunk)
    buffer.write(chunk)
    for (const listener of listeners) listener()
  }
  const redactor = secrets && createSecretRedactor(() => secrets.values.get(caller.user) ?? NO_VALUES, onOutput)
  const launching = settings.launch({
    ...request,
    variables,
    sandbox: sandboxFactory,
    onGap: (bytes) => renderer.markGap(bytes),
    onOutput: redactor?.write ?? onOutput,
    askpass: secrets && { asking: secrets.asking, as: { user: caller.user, session: caller.session, command } },
  })
  const running = await launching.catch((error: unknown) => {
    redactor?.end()
    throw settings.toFailure(error)
  })
  const execution = {
    ...running,
    ...(redactor && { exited: running.exited.finally(redactor.end) }),
    command,
    startedAt,
    note: [sandboxFactory?.failureNote ?? [], problem ?? []].flat().join(' ') || undefined,
    notice,
    sandboxKey: sandboxFactory?.key,
    signal,
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

/**
 * The record of a command that a call waits for. It becomes a job only when needed: if its output is too long to be
 * shown whole, or if it continues in the background.
 */
export interface CommandRecord {
  /** The job that records it; undefined if it is not recorded. */
  readonly job: Promise<Job | undefined> | undefined
  /** Records it as a job. Undefined if that fails; `problem` then has the reason. */
  readonly save: (execution: CommandExecution) => Promise<Job | undefined>
  /** Records it as a background job. Undefined if that fails, or if too many are running. */
  readonly moveToBackground: (execution: CommandExecution) => Promise<Job | undefined>
  readonly problem: string | undefined
}

/** `recorded`: the job that the command was started as. */
export function createCommandRecord(jobs: () => Promise<JobService>, caller: Caller, recorded?: Job): CommandRecord {
  let job: Promise<Job | undefined> | undefined = recorded && Promise.resolve(recorded)
  let problem: string | undefined

  async function saveOnce(execution: CommandExecution, background: boolean): Promise<Job | undefined> {
    try {
      return await (await jobs()).recordRunning(execution, caller, background)
    } catch (error) {
      execution.buffer.discard()
      return reportProblem(error)
    }
  }

  async function moveToBackground(execution: CommandExecution): Promise<Job | undefined> {
    if (!job) return (job = saveOnce(execution, true))
    const saved = await job
    if (!saved) return undefined
    try {
      await (await jobs()).moveToBackground(saved)
      return saved
    } catch (error) {
      return reportProblem(error)
    }
  }

  function reportProblem(error: unknown): undefined {
    if (!(error instanceof Failure)) throw error
    problem = error.message.replace(/\.$/, '')
  }

  return {
    get job() {
      return job
    },
    save: (execution) => (job ??= saveOnce(execution, false)),
    moveToBackground,
    get problem() {
      return problem
    },
  }
}

/** The record of a command that is never recorded. */
export const NOT_RECORDED: CommandRecord = { job: undefined, save: noJob, moveToBackground: noJob, problem: undefined }

function noJob(): Promise<undefined> {
  return Promise.resolve(undefined)
}

/** A process that a command started and that still runs after the command has exited. */
export interface LeftoverProcess {
  readonly pid: number
  readonly name: string
}

export function toLeftoverProcesses(pids: readonly number[]): readonly LeftoverProcess[] {
  return pids.map((pid) => ({ pid, name: readProcessName(pid) ?? '?' }))
}

const MIN_INTERVAL_MS = 250

/**
 * Reports the latest output line of a running command as progress, at most four times a second. If there is no new line
 * for a while, the last one is repeated with the elapsed time, to show that the command still runs. Returns a function
 * that stops it.
 */
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
  // Of a short command, the first output arrives with the report of its start.
  if (execution.renderer.latestLine() !== '') reportNow()
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
  if (code === 'EMFILE' || code === 'ENFILE')
    return 'the system has too many open files. Wait until other commands have finished.'
  if (code === 'EAGAIN') return 'the system has too many processes. Wait until other commands have finished.'
  if (code === 'ENOMEM') return 'the system is out of memory. Wait until other commands have finished.'
  if (code === 'ENOSPC') return 'the disk for temporary files is full. Free some space, then run it again.'
  if (error instanceof Error && 'syscall' in error && error.syscall === 'mkdtemp')
    return `there is no usable folder for temporary files (${error.message}). Set TMPDIR to a writable folder.`
  const directory = findDirectoryProblem(cwd)
  if (directory !== undefined) return directory
  if (code === 'ENOENT') return describeMissingShell(process.platform)
  const reason = errorMessage(error)
  return `${reason}. Run it again. If that fails, \`scorpiox-code doctor\` shows what is missing.`
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
