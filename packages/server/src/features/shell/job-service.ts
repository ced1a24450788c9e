// The background jobs of a project: starts, lists, reads and kills them. Each belongs to a user, has an ID that is never
// reused, and stores its output on disk. Jobs end with the server, except with JOBS_OUTLIVE_SERVER. Opened by shell-service
// on first use; used by the job tools and resources, callbacks and the console. Starts processes; reads and writes job
// files.

import type { Caller } from '@scorpiox/mcp/definitions/caller'
import type { ChangeEvents } from '@scorpiox/mcp/definitions/change-events'
import { Failure } from '@scorpiox/mcp/errors'
import type { LinePattern } from '../../patterns/line-pattern.js'
import type { LineMatcher, PatternMatcher } from '../../patterns/pattern-matcher.js'
import { type CommandExecution, type LeftoverProcess, toLeftoverProcesses } from './command-execution.js'
import { asJobStorageFailure, type JobDirectory, JobStorageFailure } from './job-files.js'
import type { JobLedger } from './job-ledger.js'
import { createJobChangeNotifier } from './job-change-notifier.js'
import { jobUri } from './job-resources.js'
import { requireTerminal, resizeTerminal, typeForCaller, withInputWait } from './job-typing.js'
import type { Job } from './job.js'
import { createJobsByUser } from './jobs-by-user.js'
import { readAfterFlush, readPart } from './read-job-part.js'
import { type OutputPart, readFrom } from './read-job-output.js'
import type { ScreenState } from './read-terminal.js'
import { DEFAULT_SIZE, type TerminalSize } from './terminal-size.js'
import type { Terminals } from './terminal.js'
import type { TypedText, TypeRequest } from './type-into-job.js'
import {
  type JobEnvironment,
  openUserJobs,
  type StartedJob,
  type StartJobCommand,
  type StartJobRequest,
  type UserJobs,
} from './user-jobs.js'
import { createUserTerminals, type UserTerminals } from './user-terminals.js'
import { isUserTyping } from './user-typing.js'
import { isWaitingForInput } from './wait-for-input.js'
import { waitForJob, type WaitRequest, type WaitResult } from './wait-for-job.js'

const KILL_AFTER_MS = 2000
/** Running foreground commands of one user whose output is stored, because it is long. */
const MAX_STORED_OUTPUTS = 64
/** Jobs listed in an error message. */
const MAX_NAMED_JOBS = 20
/** Sessions whose read position is stored for each job. */
const MAX_READERS = 1000
/** Characters of a job's output that is read as a resource. */
const MAX_RESOURCE_CHARACTERS = 200_000

export interface JobService {
  /** Starts a command as a job, in the background or for a waiting call. */
  start(command: string, caller: Caller, options: StartJobOptions): Promise<StartedJob>
  /** Records a running foreground command as a job. Throws a Failure if there are too many. */
  recordRunning(execution: CommandExecution, caller: Caller, background: boolean): Promise<Job>
  /** Makes the job of a foreground command a background job. Throws a Failure if too many are running. */
  moveToBackground(job: Job): Promise<void>
  discard(job: Job): Promise<void>
  read(id: number, caller: Caller, query: ReadOutputRequest, signal: AbortSignal): Promise<ReadOutputResult>
  /** Output from the beginning, up to a limit. Does not advance the read position. */
  readAll(id: number, caller: Caller): Promise<{ readonly job: Job; readonly text: string }>
  list(caller: Caller): Promise<readonly Job[]>
  find(id: number, caller: Caller): Promise<Job>
  kill(id: number, caller: Caller): Promise<KillResult>
  /**
   * Starts the command of a job again as a new job, after killing the old one if it runs. `authorize` rejects if the
   * command may not run.
   */
  restart(id: number, caller: Caller, authorize: (command: string) => Promise<void> | undefined): Promise<Job>
  /** The terminals of jobs, for a person who looks at them and types. */
  readonly userTerminals: UserTerminals
  /** Kills all jobs that run on this machine for a user, without asking the database. */
  killAll(user: string): Promise<void>
  /** Whether a job of any user runs. */
  hasRunning(): Promise<boolean>
  /** Kills jobs that end with the server. Resolves to the tags of those that keep running. */
  close(killAfterMs: number): Promise<ReadonlySet<string>>
}

export interface StartJobOptions extends Pick<
  StartJobRequest,
  'background' | 'call' | 'input' | 'maxCharacters' | 'maxLine'
> {
  /** On a terminal of this size. */
  readonly terminal?: Partial<TerminalSize> | undefined
  /** A background job whose stdin is empty, as that of a command that a call waited for. */
  readonly isInputEmpty?: boolean | undefined
}

export interface ReadOutputRequest {
  readonly wait?: (Omit<WaitRequest, 'pattern'> & { readonly pattern?: LinePattern | undefined }) | undefined
  /** Typed before anything else; the result then is what the job printed since. */
  readonly type?: TypeRequest | undefined
  /** A new size of its terminal. */
  readonly resize?: Partial<TerminalSize> | undefined
  /** The whole screen of its terminal. */
  readonly fullScreen?: boolean | undefined
  readonly filter?: LinePattern | undefined
  readonly tail?: number | undefined
  /** Longer output is cut to its head and tail. */
  readonly maxCharacters: number
}

export interface KillResult {
  readonly job: Job
  readonly wasRunning: boolean
  /** Processes that could not be killed. */
  readonly survivors: readonly LeftoverProcess[]
  /** Its children could not be listed, and may still run. */
  readonly areChildrenUnlisted: boolean
}

export interface ReadOutputResult extends OutputPart {
  readonly job: Job
  /** Processes still running after the job ended; undefined if unknown. */
  readonly leftoverProcesses: readonly LeftoverProcess[] | undefined
  readonly waitResult: WaitResult | undefined
  /** Set if the text is the screen of its terminal. */
  readonly screen?: ScreenState | undefined
  readonly typed?: TypedText | undefined
  /** Bytes printed before the input that were not read. */
  readonly unreadBytes: number
  readonly isWaitingForInput: boolean
  /** A person types in its terminal. */
  readonly isUserTyping: boolean
}

export interface SharedJobDeps extends JobEnvironment {
  /** Throws a Failure if jobs cannot be stored. */
  readonly jobDirectory: () => JobDirectory
  readonly maxRunning: number
  readonly changeEvents: ChangeEvents
  readonly patterns: () => Promise<PatternMatcher>
  /** The jobs of a user where several machines share them. */
  readonly ledgerOf?: ((user: string) => Promise<JobLedger>) | undefined
  readonly terminals: () => Promise<Terminals>
}

export interface JobServiceDeps extends SharedJobDeps {
  readonly startCommand: StartJobCommand
  /** Of the sandbox that a command of the caller would get now; undefined without one. */
  readonly sandboxKey: (caller: Caller) => Promise<string | undefined>
}

export function createJobService(settings: JobServiceDeps): JobService {
  const { jobDirectory, maxRunning, changeEvents, jobsOutliveServer, patterns, terminals, sandboxKey } = settings
  const starting = new Map<UserJobs, number>()
  const startups = new Set<Promise<StartedJob>>()

  const users = createJobsByUser(open)
  const userJobsOf = ({ user }: Pick<Caller, 'user'>): Promise<UserJobs> => users.of(user)

  async function open(user: string): Promise<UserJobs> {
    const directory = asJobStorageFailure(jobDirectory)
    const onChange = createJobChangeNotifier(changeEvents, user)
    return openUserJobs({
      ...settings,
      registryPath: directory.registryPath,
      directory: directory.userDirectory(user),
      ledger: await settings.ledgerOf?.(user),
      onChange,
    })
  }

  function refuseTooMany(jobs: UserJobs): void {
    const running = jobs.list().filter(({ isRunning, record }) => isRunning && record.background)
    if (running.length + (starting.get(jobs) ?? 0) < maxRunning) return
    const ids = running.slice(0, MAX_NAMED_JOBS).map(({ id }) => id)
    const which = ids.length === 0 ? '' : ` Running: ${ids.join(', ')}${ids.length < running.length ? ', ...' : '.'}`
    throw new Failure(`${maxRunning} jobs are running, which is the limit: kill one with KillBgTask.${which}`)
  }

  async function startInBackground(jobs: UserJobs, request: StartJobRequest): Promise<StartedJob> {
    refuseTooMany(jobs)
    starting.set(jobs, (starting.get(jobs) ?? 0) + 1)
    try {
      const started = await jobs.start(request)
      // Nobody waits for a result: what is read later is rendered from the stored output.
      started.execution.renderer.release()
      return started
    } finally {
      const remaining = (starting.get(jobs) ?? 1) - 1
      if (remaining > 0) starting.set(jobs, remaining)
      else starting.delete(jobs)
    }
  }

  async function terminalOptions(size: Partial<TerminalSize> | undefined) {
    return size && (await terminals()).optionsFor({ ...DEFAULT_SIZE, ...size })
  }

  async function start(command: string, caller: Caller, options: StartJobOptions): Promise<StartedJob> {
    const { terminal, isInputEmpty = !options.background, ...rest } = options
    const size = await terminalOptions(terminal)
    const request = { command, ...rest, ...caller, ...(!isInputEmpty && { openInput: { terminal: size } }) }
    try {
      const jobs = await userJobsOf(caller)
      if (request.background) return await startInBackground(jobs, request)
      refuseTooManyOutputs(jobs)
      return await jobs.start(request)
    } catch (error) {
      throw error instanceof JobStorageFailure
        ? new JobStorageFailure(`The command was not started: ${error.message}.`)
        : error
    }
  }

  /** Rejects if a command cannot be started now. */
  async function checkStart(caller: Caller, { terminal }: StartJobOptions): Promise<void> {
    await terminalOptions(terminal)
    await sandboxKey(caller)
  }

  const service: JobService = {
    start(command, caller, options) {
      const started = start(command, caller, options)
      const finish = (): void => void startups.delete(started)
      startups.add(started)
      started.then(finish, finish)
      return started
    },
    async recordRunning(execution, caller, background) {
      const jobs = await userJobsOf(caller)
      if (background) refuseTooMany(jobs)
      else refuseTooManyOutputs(jobs)
      return jobs.recordRunning(execution, { command: execution.command, background, ...caller })
    },
    async moveToBackground(job) {
      refuseTooMany(await userJobsOf(job.record))
      await job.update({ background: true })
    },
    async discard(job) {
      await job.ended
      await (await userJobsOf(job.record)).remove(job)
    },
    async read(id, caller, query, signal) {
      const { wait, filter: filterPattern, tail, maxCharacters, type, resize } = query
      const matcherFor = async (pattern: LinePattern | undefined): Promise<LineMatcher | undefined> =>
        pattern && (await patterns()).matcherFor(caller.user, pattern)
      const request = wait && { ...wait, pattern: await matcherFor(wait.pattern) }
      const filter = await matcherFor(filterPattern)
      const jobs = await userJobsOf(caller)
      const job = await jobs.find(id)
      if (query.fullScreen || resize) requireTerminal(job, resize !== undefined)
      if (resize) await resizeTerminal(job, resize, await terminals())
      const typed = type && (await typeForCaller(job, type, { jobs, caller, maxMs: wait?.maxMs, signal, sandboxKey }))
      const unread = job.readPositions.get(caller.session) ?? 0
      const position = (): number => typed?.from ?? job.readPositions.get(caller.session) ?? 0
      const waitResult = request
        ? await waitForJob(job, position(), withInputWait(request, job, typed), signal)
        : undefined
      const options = { filter, tail, maxCharacters, fullScreen: query.fullScreen }
      const searchesAll = tail !== undefined
      const part = await readAfterFlush(job, searchesAll ? 0 : position(), signal, () =>
        readPart(job, position(), options),
      )
      // Do not advance the read position if the call was cancelled.
      if (!signal.aborted) setReadPosition(job.readPositions, caller.session, part.next)
      const leftoverPids = await job.leftoverPids()
      return {
        ...part,
        job,
        waitResult,
        typed,
        unreadBytes: typed ? Math.max(typed.from - unread, 0) : 0,
        isWaitingForInput: waitResult === 'input' || (waitResult !== 'end' && (await isWaitingForInput(job, typed))),
        isUserTyping: isUserTyping(job),
        leftoverProcesses: leftoverPids && toLeftoverProcesses(leftoverPids),
      }
    },
    async readAll(id, caller) {
      const job = await (await userJobsOf(caller)).find(id)
      const { text } = await readAfterFlush(job, 0, NEVER_ABORTED, () =>
        readFrom(job, 0, { maxCharacters: MAX_RESOURCE_CHARACTERS, maxLine: Infinity }),
      )
      return { job, text }
    },
    list: async (caller) =>
      (await (await userJobsOf(caller)).takeOverAndList()).filter(({ record }) => record.background),
    find: async (id, caller) => (await userJobsOf(caller)).find(id),
    async kill(id, caller) {
      const job = await (await userJobsOf(caller)).find(id)
      const wasRunning = job.isRunning
      const survivors = await job.kill('killed', KILL_AFTER_MS)
      const { areLeftoversUnlisted: areChildrenUnlisted } = job
      return { job, wasRunning, survivors: toLeftoverProcesses(survivors), areChildrenUnlisted }
    },
    async restart(id, caller, authorize) {
      const { restartJob } = await import('./restart-job.js')
      return restartJob(await service.find(id, caller), { service, cwd: settings.cwd, checkStart, authorize })
    },
    userTerminals: createUserTerminals({
      find: async (id, caller) => (await userJobsOf(caller)).find(id),
      onChange: ({ id, record }) => changeEvents.notifyResourceUpdated(jobUri(id), record.user),
      terminals,
      sandboxKey,
    }),
    async killAll(user) {
      const running = (await users.ifOpen(user))?.list().filter(({ isRunning }) => isRunning) ?? []
      await Promise.allSettled(running.map((job) => job.kill('server-stopped', KILL_AFTER_MS)))
    },
    async hasRunning() {
      const opened = await Promise.all(users.all())
      return startups.size > 0 || opened.some((jobs) => jobs.list().some(({ isRunning }) => isRunning))
    },
    async close(killAfterMs) {
      users.close()
      // Commands that are being started have no job yet.
      await Promise.allSettled(startups)
      const opened = await Promise.allSettled(users.all())
      const running = opened
        .flatMap((result) => (result.status === 'fulfilled' ? result.value.list() : []))
        .filter(({ isRunning }) => isRunning)
      if (jobsOutliveServer)
        return new Set(running.filter(({ record }) => record.background).map(({ record }) => record.tag))
      // Jobs taken over from a server with JOBS_OUTLIVE_SERVER keep running.
      const ending = running.filter(({ record }) => !(record.keep && record.background))
      await Promise.all(ending.map((job) => job.kill('server-stopped', killAfterMs)))
      return new Set()
    },
  }
  return service
}

/** Each output takes up to JOB_MAX_OUTPUT on disk. */
function refuseTooManyOutputs(jobs: UserJobs): void {
  const recorded = jobs.list().filter(({ isRunning, record }) => isRunning && !record.background)
  if (recorded.length >= MAX_STORED_OUTPUTS)
    throw new JobStorageFailure(
      `the outputs of ${MAX_STORED_OUTPUTS} running commands are already stored, which is the limit`,
    )
}

function setReadPosition(positions: Map<string, number>, reader: string, position: number): void {
  positions.delete(reader)
  positions.set(reader, position)
  const [oldest] = positions.keys()
  if (positions.size > MAX_READERS && oldest !== undefined) positions.delete(oldest)
}

const NEVER_ABORTED = new AbortController().signal
