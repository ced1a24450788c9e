// Runs a command until it exits, reaches its time limit or is cancelled. Stopping a command kills its process tree;
// a command that outlasts a soft limit continues as a job.

import type { Caller } from '@scorpiox/mcp/definitions/caller'
import { Failure } from '@scorpiox/mcp/errors'
import { loadOnce, withTimeout } from '@scorpiox/mcp/util/promises'
import type { ExitStatus } from '../../process/spawn.js'
import type { CommandSandbox } from '../../sandbox/command-sandbox.js'
import { createDeferred } from '../../util/async.js'
import {
  type CommandExecution,
  type CommandRecord,
  createCommandRecord,
  explainStartError,
  type LeftoverProcess,
  NOT_RECORDED,
  reportLatestLine,
  startCommand,
  type StartCommandOptions,
  toLeftoverProcesses,
} from './command-execution.js'
import { JobStorageFailure } from './job-files.js'
import type { JobService, SharedJobDeps } from './job-service.js'
import type { RenderedOutput } from './output-renderer.js'
import type { StartedJob, StartJobRequest } from './user-jobs.js'

const KILL_AFTER_MS = 2000
/** How long to wait for the exit of a command if one of its processes cannot be killed. */
const UNKILLED_EXIT_WAIT_MS = 500
/** A probe needs no time to clean up. */
const PROBE_KILL_AFTER_MS = 200

// Clients kill a server two seconds after they ask it to stop; processes that ignore SIGTERM must be gone by then.
const SHUTDOWN_KILL_AFTER_MS = 1000

/** Output held in memory before it is known to be too long to be shown whole. */
const MAX_BUFFERED_BYTES = 256 * 1024

/** Commands that calls of one user wait for; background tasks have a limit of their own. */
const MAX_RUNNING_PER_USER = 512

export interface ShellService {
  run(command: string, options: RunOptions): Promise<CommandResult>
  /** Runs a command that may not write persistent files if a sandbox is on. Nothing is recorded. */
  runProbe(command: string, question: ProbeOptions): Promise<CommandResult>
  /** Limit of commands that set none. */
  readonly defaultLimit: TimeLimit
  /** Output characters that a result for the named client may have. */
  maxCharacters(client: string): number
  /** Background jobs; opened on first use. */
  jobs(): Promise<JobService>
  /** Undefined if `jobs` has not been called. */
  jobsIfOpen(): Promise<JobService> | undefined
  close(): Promise<void>
}

export interface RunOptions {
  readonly caller: Caller
  /** Name of the client; decides how much output is shown. */
  readonly client: string
  readonly limit: TimeLimit
  readonly signal: AbortSignal
  /** True once the call was deferred to a task handle; a soft limit then no longer applies. */
  readonly isDeferred?: () => boolean
  /** Called with the latest output line while the command runs. */
  readonly onLine?: ((line: string) => void) | undefined
  /** The output is data: do not clip long lines. */
  readonly isData?: boolean | undefined
  /** stdin; empty by default. */
  readonly input?: string | undefined
}

/** Options of a probe, a short command whose output is not recorded and that never becomes a job. */
export interface ProbeOptions {
  readonly caller: Caller
  readonly limitMs: number
  readonly maxCharacters: number
}

export interface TimeLimit {
  readonly ms: number
  /** Kill the command at the limit; otherwise it continues as a job. */
  readonly killAtLimit: boolean
}

export interface CommandResult extends RenderedOutput {
  readonly exitCode: number | null
  readonly signal: string | null
  readonly durationMs: number
  readonly ending: 'exit' | 'timeout' | 'cancelled' | 'backgrounded'
  /** The job as which it continues, or which stores its whole output. */
  readonly jobId: number | undefined
  /** Bytes of output that the job stores. */
  readonly storedBytes: number
  /** Why it could not continue as a job, or its output not be stored. */
  readonly recordProblem: string | undefined
  /** Possible reason of a failure that the output does not show, such as the sandbox. */
  readonly failureHint: string | undefined
  /** Processes it left running or, if it was killed, those that could not be killed. */
  readonly leftoverProcesses: readonly LeftoverProcess[]
}

export interface ShellServiceDeps extends SharedJobDeps {
  readonly maxCharacters: ShellService['maxCharacters']
  /** Asked before each command. Rejects if a required sandbox is not available. */
  readonly sandbox: Pick<CommandSandbox, 'sandboxFor'>
  readonly defaultLimit: TimeLimit
  /** Whether running commands report their output lines. */
  readonly streaming: boolean
}

export function createShellService(settings: ShellServiceDeps): ShellService {
  const { cwd, commandRunner, maxCharacters, jobsOutliveServer, sandbox, streaming, defaultLimit } = settings
  let closing: Promise<void> | undefined
  let openingJobs: Promise<JobService> | undefined
  const runningByUser = new Map<string, number>()
  const jobs = loadOnce(() => (openingJobs = openJobs()))

  async function openJobs(): Promise<JobService> {
    const { createJobService } = await import('./job-service.js')
    return createJobService({
      ...settings,
      startCommand: (request, launch) =>
        start(request, () => sandbox.sandboxFor(request), {
          launch,
          maxCharacters: request.maxCharacters ?? maxCharacters(''),
          maxLine: request.maxLine,
        }),
    })
  }

  async function start(
    { command, input, user }: Pick<StartJobRequest, 'command' | 'input' | 'user'>,
    getSandbox: () => ReturnType<CommandSandbox['sandboxFor']>,
    options: Pick<StartCommandOptions, 'maxCharacters' | 'maxLine'> &
      Partial<Pick<StartCommandOptions, 'launch' | 'onOverflow'>>,
  ): Promise<CommandExecution> {
    if (closing) throw new Failure('The command was not started: the server is stopping.')
    if (command.includes('\0')) throw new Failure('The command was not started: it contains a NUL character.')
    const request: StartCommandOptions['request'] = { command, input, owner: user, sandbox: await getSandbox() }
    const { run } = commandRunner
    try {
      return await startCommand({ launch: run, request, maxBufferedBytes: MAX_BUFFERED_BYTES, ...options })
    } catch (error) {
      if (error instanceof Failure) throw error
      if (closing) throw new Failure('The server is stopping: the command was not started, or was ended at once.')
      throw new Failure(`The command was not started: ${explainStartError(error, cwd)}`)
    }
  }

  async function startForeground(
    command: string,
    { caller, client, input, isData = false }: RunOptions,
  ): Promise<ForegroundCommand> {
    const shown = { maxCharacters: maxCharacters(client), maxLine: isData ? Infinity : undefined }
    const recorded = jobsOutliveServer ? await startRecorded(command, caller, { input, ...shown }) : undefined
    if (recorded) return { execution: recorded.execution, record: createCommandRecord(jobs, caller, recorded.job) }
    const record = createCommandRecord(jobs, caller)
    const request = { command, input, user: caller.user }
    const options = { onOverflow: record.save, ...shown }
    return { execution: await start(request, () => sandbox.sandboxFor(caller), options), record }
  }

  /** Undefined if jobs cannot be stored; the command then runs without being recorded. */
  async function startRecorded(
    command: string,
    caller: Caller,
    options: Pick<StartJobRequest, 'input' | 'maxCharacters' | 'maxLine'>,
  ): Promise<StartedJob | undefined> {
    try {
      return await (await jobs()).start(command, caller, { background: false, ...options })
    } catch (error) {
      if (error instanceof JobStorageFailure) return undefined
      throw error
    }
  }

  /** Refuses further commands of a user that has too many running. */
  async function countRunning<T>(user: string, work: () => Promise<T>): Promise<T> {
    const running = runningByUser.get(user) ?? 0
    if (running >= MAX_RUNNING_PER_USER) {
      throw new Failure(
        `The command was not started: ${running} commands of this user are running, which is the limit. Wait for one of them.`,
      )
    }
    runningByUser.set(user, running + 1)
    try {
      return await work()
    } finally {
      const remaining = (runningByUser.get(user) ?? 1) - 1
      if (remaining > 0) runningByUser.set(user, remaining)
      else runningByUser.delete(user)
    }
  }

  async function runForeground(command: string, options: RunOptions): Promise<CommandResult> {
    const { caller } = options
    const foreground = await runUntilStopped(() => startForeground(command, options), options)
    const { execution, record, end } = foreground
    const job = end === 'backgrounded' ? await record.moveToBackground(execution) : undefined
    if (!job) return collectResult(foreground, end === 'backgrounded' ? 'timeout' : end)
    const output = execution.renderer.snapshot()
    // The result shows this output, so ReadBgOutput continues after it.
    job.readPositions.set(caller.session, output.bytes - output.incompleteBytes)
    return { ...STILL_RUNNING, ...output, durationMs: Date.now() - execution.startedAt, jobId: job.id }
  }

  async function closeAll(): Promise<void> {
    const opened = await openingJobs?.catch(() => undefined)
    const jobsClosed = opened?.close(SHUTDOWN_KILL_AFTER_MS)
    // In parallel, because time is short. With JOBS_OUTLIVE_SERVER the tags to spare must be known first.
    await Promise.all([
      jobsClosed,
      commandRunner.close(SHUTDOWN_KILL_AFTER_MS, jobsOutliveServer ? await jobsClosed : undefined),
    ])
  }

  return {
    defaultLimit,
    maxCharacters,
    jobs,
    jobsIfOpen: () => openingJobs,
    run: (command, options) => countRunning(options.caller.user, () => runForeground(command, options)),
    async runProbe(command, { caller, limitMs, maxCharacters: max }) {
      async function startProbe(): Promise<ForegroundCommand> {
        // Explicit empty stdin: a probe does not use a pooled shell.
        const execution = await start(
          { command, input: '', user: caller.user },
          () => sandbox.sandboxFor(caller, true),
          {
            maxCharacters: max,
            maxLine: Infinity,
          },
        )
        execution.buffer.discard()
        return { execution, record: NOT_RECORDED }
      }
      const limit = { ms: limitMs, killAtLimit: true }
      const probe = await runUntilStopped(startProbe, { limit, signal: NO_ABORT })
      const outcome = await collectResult(
        probe,
        typeof probe.end === 'string' ? 'timeout' : probe.end,
        PROBE_KILL_AFTER_MS,
      )
      if (outcome.leftoverProcesses.length > 0) await probe.execution.kill(PROBE_KILL_AFTER_MS)
      return outcome
    },
    close: () => (closing ??= closeAll()),
  }

  /** Starts a command and waits until it has ended, has reached its limit or is cancelled. */
  async function runUntilStopped(
    startIt: () => Promise<ForegroundCommand>,
    { limit, signal, isDeferred, onLine }: Pick<RunOptions, 'limit' | 'signal' | 'isDeferred' | 'onLine'>,
  ): Promise<StoppedCommand> {
    const stop = watchForStop(limit, signal, isDeferred)
    try {
      const foreground = await startIt()
      const { execution } = foreground
      // The limit counts from the start of the command.
      const timer = setTimeout(stop.onLimit, limit.ms)
      const stopShowing = streaming && onLine ? reportLatestLine(execution, onLine) : undefined
      const exit = await Promise.race([execution.exited, stop.reason])
      clearTimeout(timer)
      stopShowing?.()
      if (typeof exit === 'string') return { ...foreground, end: exit }
      const endedAt = Date.now()
      const remainingChildren = await execution.findRemainingChildren()
      return { ...foreground, end: { exit, endedAt, remainingChildren } }
    } finally {
      stop.clear()
    }
  }

  async function collectResult(
    { execution, record }: ForegroundCommand,
    end: CommandEnd | 'timeout' | 'cancelled',
    killAfterMs = KILL_AFTER_MS,
  ): Promise<CommandResult> {
    const wasStopped = typeof end === 'string'
    const { exit, endedAt, remainingChildren = [] } = wasStopped ? await killAndWait(execution, killAfterMs) : end
    const output = execution.renderer.end()
    const shouldStoreOutput = output.truncated && !output.binary
    const job = await (shouldStoreOutput ? record.save(execution) : record.job)
    // The end of a job with unkilled processes may never come.
    if (!wasStopped || remainingChildren.length === 0) await job?.ended
    if (job && !shouldStoreOutput) await (await jobs()).discard(job)
    const storedBytes = shouldStoreOutput && job ? await job.output.keptBytes() : 0
    return {
      ...output,
      ending: wasStopped ? end : 'exit',
      durationMs: endedAt - execution.startedAt,
      exitCode: exit.code,
      signal: exit.signal,
      jobId: shouldStoreOutput ? job?.id : undefined,
      storedBytes,
      recordProblem: record.problem,
      failureHint: !wasStopped && exit.code !== 0 ? (execution.endReason() ?? execution.note) : undefined,
      leftoverProcesses: toLeftoverProcesses(remainingChildren),
    }
  }
}

/** A command that a call waits for. */
interface ForegroundCommand {
  readonly execution: CommandExecution
  readonly record: CommandRecord
}

/** `end`: how it ended, or why the call no longer waits for it. */
interface StoppedCommand extends ForegroundCommand {
  readonly end: CommandEnd | StopReason
}

interface CommandEnd {
  readonly exit: ExitStatus
  readonly endedAt: number
  /** Those that still run after the exit, or that could not be killed; undefined if unknown. */
  readonly remainingChildren: readonly number[] | undefined
}

type StopReason = Exclude<CommandResult['ending'], 'exit'>

const STILL_RUNNING = {
  ending: 'backgrounded',
  exitCode: null,
  signal: null,
  storedBytes: 0,
  recordProblem: undefined,
  failureHint: undefined,
  leftoverProcesses: [],
} as const satisfies Partial<CommandResult>

const UNKNOWN_EXIT = { code: null, signal: null } as const

/** If processes survive, the command itself may be one of them, and its exit is not awaited for long. */
async function killAndWait({ exited, kill }: CommandExecution, killAfterMs: number): Promise<CommandEnd> {
  const survivors = await kill(killAfterMs)
  const exit = survivors.length === 0 ? await exited : await withTimeout(UNKILLED_EXIT_WAIT_MS, exited)
  return { exit: exit ?? UNKNOWN_EXIT, endedAt: Date.now(), remainingChildren: survivors }
}

const NO_ABORT = new AbortController().signal

interface StopWatch {
  readonly reason: Promise<StopReason>
  readonly onLimit: () => void
  readonly clear: () => void
}

function watchForStop(
  { killAtLimit }: TimeLimit,
  signal: AbortSignal,
  isDeferred: () => boolean = () => false,
): StopWatch {
  const reason = createDeferred<StopReason>()
  const onAbort = (): void => reason.resolve('cancelled')
  signal.addEventListener('abort', onAbort, { once: true })
  if (signal.aborted) onAbort()
  return {
    reason: reason.promise,
    onLimit() {
      if (killAtLimit) reason.resolve('timeout')
      // A task handle is polled by the client: no request is waiting.
      else if (!isDeferred()) reason.resolve('backgrounded')
    },
    clear: () => signal.removeEventListener('abort', onAbort),
  }
}
