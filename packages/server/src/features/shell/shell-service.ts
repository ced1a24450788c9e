// The shell service: runs a command until it exits, reaches its time limit or is cancelled, and opens the job service on
// first use. Stopping a command kills its process tree; a command that outlasts a soft limit continues as a job. Used by
// Bash, the job tools, skills, scripts, callbacks and the console. Built by open-shell-service. Starts processes.

import type { Caller } from '@scorpiox/mcp/definitions/caller'
import { Failure } from '@scorpiox/mcp/errors'
import { loadOnce } from '@scorpiox/mcp/promises'
import { maxWaitMs } from '../../calls/client-patience.js'
import type { CommandSandbox } from '../../sandbox/command-sandbox.js'
import { type AddressCall, type CommandSecrets, withClientAddress } from '../secrets/index.js'
import {
  type CommandExecution,
  createCommandRecord,
  explainStartError,
  type LeftoverProcess,
  NOT_RECORDED,
  startCommand,
  type StartCommandOptions,
  toLeftoverProcesses,
} from './command-execution.js'
import type { ProjectEnvironment } from './environment/project-environment.js'
import { JobStorageFailure } from './job-files.js'
import type { JobService, SharedJobDeps } from './job-service.js'
import type { RenderedOutput } from './output-renderer.js'
import type { StartedJob, StartJobRequest } from './user-jobs.js'
import {
  type CommandCall,
  type CommandEnd,
  type ForegroundCommand,
  killAndWait,
  type TimeLimit,
  waitForCommand,
} from './wait-for-command.js'

const KILL_AFTER_MS = 2000
/** A probe needs no time to clean up. */
const PROBE_KILL_AFTER_MS = 200

// Clients kill a server two seconds after they ask it to stop; processes that ignore SIGTERM must be gone by then.
const SHUTDOWN_KILL_AFTER_MS = 1000

/** Output held in memory before it is known to be too long to be shown whole. */
const MAX_BUFFERED_BYTES = 256 * 1024

/** Commands that calls of one user wait for; jobs have a limit of their own. */
const MAX_RUNNING_PER_USER = 512

export interface ShellService {
  run(command: string, options: RunOptions): Promise<CommandResult>
  /** Runs a command that may not write persistent files if a sandbox is on. Nothing is recorded. */
  runProbe(command: string, question: ProbeOptions): Promise<CommandResult>
  /** Limit of commands that set none. */
  readonly defaultLimit: TimeLimit
  /** Output characters that a result for the named client may have. */
  maxCharacters(client: string): number
  /** Work of a call during which its client can be asked for the passwords that commands need. */
  withClient<T>(call: AddressCall, work: () => Promise<T>): Promise<T>
  /** Background jobs; opened on first use. */
  jobs(): Promise<JobService>
  /** Undefined if `jobs` has not been called. */
  jobsIfOpen(): Promise<JobService> | undefined
  close(): Promise<void>
}

export interface RunOptions {
  /** The call that waits for the command. */
  readonly call: CommandCall
  readonly limit: TimeLimit
  /** Called before the command is started; rejects if it may not run. Undefined: nothing to wait for. */
  readonly authorize?: (() => Promise<void> | undefined) | undefined
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

export interface CommandResult extends RenderedOutput {
  readonly exitCode: number | null
  readonly signal: string | null
  readonly durationMs: number
  readonly ending: 'exit' | 'timeout' | 'cancelled' | 'backgrounded'
  /** The job as which it continues, or which stores its whole output. */
  readonly jobId: number | undefined
  /** How long the client can wait for that job in one call. */
  readonly waitMs?: number
  /** Bytes of output that the job stores. */
  readonly storedBytes: number
  /** Why it could not continue as a job, or its output not be stored. */
  readonly recordProblem: string | undefined
  /** Possible reason of a failure that the output does not show, such as the sandbox. */
  readonly failureHint: string | undefined
  /** A sentence for the result in any case. */
  readonly notice: string | undefined
  /** Processes it left running or, if it was killed, those that could not be killed. */
  readonly leftoverProcesses: readonly LeftoverProcess[]
  /** If it was killed: its children could not be listed, and may still run. */
  readonly areChildrenUnlisted?: boolean
}

export interface ShellServiceDeps extends SharedJobDeps {
  readonly maxCharacters: ShellService['maxCharacters']
  /** Asked before each command. Rejects if a required sandbox is not available. */
  readonly sandbox: Pick<CommandSandbox, 'sandboxFor'>
  /** The environment of the project; undefined if commands do not get it. */
  readonly environment?: ProjectEnvironment | undefined
  /** Redacts output, and knows which command asks for a password. */
  readonly secrets?: CommandSecrets | undefined
  readonly defaultLimit: TimeLimit
  /** Whether running commands report their output lines. */
  readonly streaming: boolean
}

export function createShellService(settings: ShellServiceDeps): ShellService {
  const { cwd, commandRunner, maxCharacters, jobsOutliveServer, sandbox, streaming, defaultLimit } = settings
  const { environment, secrets } = settings
  let closing: Promise<void> | undefined
  let openingJobs: Promise<JobService> | undefined
  const runningByUser = new Map<string, number>()
  const jobs = loadOnce(() => (openingJobs = openJobs()))

  async function openJobs(): Promise<JobService> {
    const { createJobService } = await import('./job-service.js')
    return createJobService({
      ...settings,
      sandboxKey: async (caller) => (await sandbox.sandboxFor(caller))?.key,
      startCommand: (request, launch) =>
        start(request, { launch, call: request.call, maxLine: request.maxLine, maxCharacters: request.maxCharacters }),
    })
  }

  async function start(
    { command, input, user, session }: Pick<StartJobRequest, 'command' | 'input' | 'user' | 'session'>,
    { maxCharacters: max = maxCharacters(''), ...options }: StartOptions,
  ): Promise<CommandExecution> {
    if (closing) throw new Failure('The command was not started: the server is stopping.')
    if (command.includes('\0')) throw new Failure('The command was not started: it contains a NUL character.')
    const request = { command, input, owner: user }
    const limits = { maxCharacters: max, maxBufferedBytes: MAX_BUFFERED_BYTES }
    const { run: launch } = commandRunner
    const caller = { user, session }
    const toFailure = toStartFailure
    return startCommand({ launch, request, caller, sandbox, environment, secrets, toFailure, ...limits, ...options })
  }

  function toStartFailure(error: unknown): Failure {
    if (error instanceof Failure) return error
    if (closing) return new Failure('The server is stopping: the command was not started, or was killed at once.')
    return new Failure(`The command was not started: ${explainStartError(error, cwd)}`)
  }

  async function startForeground(
    command: string,
    { call, input, authorize, isData = false }: RunOptions,
  ): Promise<ForegroundCommand> {
    const { user, session, client } = call
    const caller = { user, session }
    const options = { call, maxCharacters: maxCharacters(client), maxLine: isData ? Infinity : undefined }
    if (jobsOutliveServer) {
      await authorize?.()
      const recorded = await startRecorded(command, caller, { input, ...options })
      if (recorded) return { execution: recorded.execution, record: createCommandRecord(jobs, caller, recorded.job) }
    }
    const record = createCommandRecord(jobs, caller)
    const request = { command, input, ...caller }
    const execution = await start(request, {
      ...options,
      // Not asked twice.
      authorize: jobsOutliveServer ? undefined : authorize,
      onOverflow: (overflowing) => void record.save(overflowing),
    })
    return { execution, record }
  }

  /** Undefined if jobs cannot be stored; the command then runs without being recorded. */
  async function startRecorded(
    command: string,
    caller: Caller,
    options: Pick<StartJobRequest, 'call' | 'input' | 'maxCharacters' | 'maxLine'>,
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
        `The command was not started: ${running} commands of this user are running, which is the limit. Wait until one of them has finished.`,
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
    const { call, limit } = options
    const foreground = await waitForCommand(() => startForeground(command, options), { limit, call, streaming })
    const { execution, record, end } = foreground
    const job = end === 'backgrounded' ? await record.moveToBackground(execution) : undefined
    if (!job) return collectResult(foreground, end === 'backgrounded' ? 'timeout' : end)
    const output = execution.renderer.snapshot()
    execution.renderer.release()
    // The result shows this output, so ReadBgOutput continues after it.
    job.readPositions.set(call.session, output.bytes - output.incompleteBytes)
    const { startedAt, notice } = execution
    const waitMs = maxWaitMs(call.client)
    return { ...STILL_RUNNING, ...output, notice, waitMs, durationMs: Date.now() - startedAt, jobId: job.id }
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
    run: (command, options) =>
      countRunning(options.call.user, () =>
        withClientAddress(secrets, options.call, () => runForeground(command, options)),
      ),
    withClient: (call, work) => withClientAddress(secrets, call, work),
    async runProbe(command, { caller, limitMs, maxCharacters: max }) {
      async function startProbe(): Promise<ForegroundCommand> {
        // Explicit empty stdin: a probe does not use a pooled shell.
        const request = { command, input: '', ...caller }
        const execution = await start(request, {
          isReadOnly: true,
          environment: undefined,
          maxCharacters: max,
          maxLine: Infinity,
        })
        execution.buffer.discard()
        return { execution, record: NOT_RECORDED }
      }
      const probe = await waitForCommand(startProbe, { limit: { ms: limitMs, killAtLimit: true } })
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

  async function collectResult(
    { execution, record }: ForegroundCommand,
    end: CommandEnd | 'timeout' | 'cancelled',
    killAfterMs = KILL_AFTER_MS,
  ): Promise<CommandResult> {
    const wasStopped = typeof end === 'string'
    const ended: CommandEnd = wasStopped ? await killAndWait(execution, killAfterMs) : end
    const { exit, endedAt, remainingChildren = [], areChildrenUnlisted = false } = ended
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
      notice: execution.notice,
      failureHint: !wasStopped && exit.code !== 0 ? (execution.endReason() ?? execution.note) : undefined,
      leftoverProcesses: toLeftoverProcesses(remainingChildren),
      areChildrenUnlisted,
    }
  }
}

interface StartOptions extends Pick<
  StartCommandOptions,
  'environment' | 'isReadOnly' | 'authorize' | 'call' | 'maxLine' | 'onOverflow'
> {
  /** Default: that of the command runner. */
  readonly launch?: StartCommandOptions['launch']
  readonly maxCharacters?: number | undefined
}

const STILL_RUNNING = {
  ending: 'backgrounded',
  exitCode: null,
  signal: null,
  storedBytes: 0,
  recordProblem: undefined,
  failureHint: undefined,
  leftoverProcesses: [],
} as const satisfies Partial<CommandResult>
