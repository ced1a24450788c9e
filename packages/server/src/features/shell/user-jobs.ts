// The jobs of one user in one project: those started by this server, and those taken over from servers that exited. Used by
// job-service, one for each user. Starts processes; reads and writes job files.

import type { CallContext } from '@scorpiox/mcp/definitions/call-context'
import type { Caller } from '@scorpiox/mcp/definitions/caller'
import { Failure } from '@scorpiox/mcp/errors'
import type { CommandRunner, RunRequest } from '../../process/command-runner.js'
import { currentProcessIdentity } from '../../process/process-identity.js'
import type { TerminalOptions } from '../../process/supervisor.js'
import { isServerAlive } from '../../storage/server-registry.js'
import type { CommandExecution } from './command-execution.js'
import { asJobStorageFailure } from './job-files.js'
import type { JobLedger } from './job-ledger.js'
import { type JobRecord, toRecordedCommand } from './job-record.js'
import { fromRecording, fromWriter, runAndFollowOutput } from './job-sources.js'
import { openJobStore } from './job-store.js'
import { createJobTakeover } from './job-takeover.js'
import { createJob, type Job, type JobSource } from './job.js'
import { openJobOutputReader } from './output-reader.js'
import { getSegmentSize, MAX_SEGMENTS } from './output-segments.js'
import { createJobOutputWriter } from './output-writer.js'
import { createQueryResponder, type QueryResponder } from './terminal-queries.js'
import { appendTyped, type TypedInput } from './typed-input.js'

const PRUNE_INTERVAL_MS = 5000
/** New jobs after which old ones are deleted, whatever the time: each may have stored much. */
const PRUNE_AFTER_JOBS = 32
const PRUNE_LIMITS = { keepEnded: 50, maxAgeMs: 7 * 24 * 60 * 60 * 1000, maxTotalBytes: 512 * 1024 * 1024 }

export interface UserJobs {
  /** Jobs of this server and jobs it has taken over, oldest first. */
  list(): readonly Job[]
  /** The same, after taking over orphaned jobs. */
  takeOverAndList(): Promise<readonly Job[]>
  /** Rejects with a Failure that lists the existing IDs. */
  find(id: number): Promise<Job>
  start(request: StartJobRequest): Promise<StartedJob>
  /** Records a command that is already running as a job. */
  recordRunning(execution: CommandExecution, request: StartJobRequest): Promise<Job>
  remove(job: Job): Promise<void>
  /** Stores what is typed into a job. Never throws. */
  recordTyped(job: Job, typed: TypedInput): void
}

export interface StartJobRequest extends Caller {
  readonly command: string
  /** stdin; not recorded. */
  readonly input?: string | undefined
  /** stdin stays open and can be written to: a terminal, or with `terminal` undefined a pipe. */
  readonly openInput?: { readonly terminal: TerminalOptions | undefined } | undefined
  /** False while a call waits for it. */
  readonly background: boolean
  /** The waiting call: once it is cancelled, the command is not started. */
  readonly call?: Pick<CallContext, 'signal'> | undefined
  /** Output characters that the result of the waiting call may have. */
  readonly maxCharacters?: number | undefined
  /** Characters of one line. */
  readonly maxLine?: number | undefined
}

export interface StartedJob {
  readonly job: Job
  readonly execution: CommandExecution
}

export interface JobEnvironment {
  readonly cwd: string
  readonly commandRunner: CommandRunner
  readonly maxOutputBytes: number
  /** Background jobs keep running when the server exits. */
  readonly jobsOutliveServer: boolean
}

export type StartJobCommand = (request: StartJobRequest, launch: CommandRunner['run']) => Promise<CommandExecution>

export interface UserJobsDeps extends JobEnvironment {
  readonly directory: string
  /** Directory where the servers of this project are registered. */
  readonly registryPath: string
  readonly startCommand: StartJobCommand
  /** Set where several machines share the jobs. */
  readonly ledger?: JobLedger | undefined
  /** Called when a job is added, prints output, or ends. */
  readonly onChange: (job: Job) => void
}

export async function openUserJobs(settings: UserJobsDeps): Promise<UserJobs> {
  const { directory, registryPath, cwd, commandRunner, startCommand, maxOutputBytes, jobsOutliveServer, onChange } =
    settings
  const { ledger } = settings
  const shared = ledger && (await import('./shared-jobs.js')).createSharedJobs(ledger)
  const records = openJobStore(directory)
  const owner = currentProcessIdentity()
  const jobs = new Map<number, Job>()
  let prunedAt = -Infinity
  let createdSincePrune = 0
  const outputOf = (id: number) => openJobOutputReader(records.outputFolder(id))

  /** A failed write is ignored: the record in memory is correct, and the next server re-checks the processes anyway. */
  async function saveQuietly(record: JobRecord): Promise<void> {
    await records.save(record).catch(() => undefined)
    await shared?.save(record, outputOf(record.id))
  }

  function add(record: JobRecord, source?: JobSource): Job {
    const job = createJob({ record, output: outputOf(record.id), source, save: saveQuietly })
    jobs.set(job.id, job)
    if (source) {
      job.onChange(() => onChange(job))
      shared?.copyOutput(job)
      onChange(job)
    }
    return job
  }

  function register(record: JobRecord, execution: CommandExecution, source: JobSource): Job {
    const completed: JobRecord = {
      ...record,
      tag: execution.tag,
      ...(record.stdin && { pid: execution.pid }),
      ...(record.stdin && execution.sandboxKey !== undefined && { sandbox: execution.sandboxKey }),
    }
    records.updateNow(completed)
    return add(completed, source)
  }

  function create(request: StartJobRequest, startedAt = Date.now()): JobRecord | Promise<JobRecord> {
    const { command, background, user, session, openInput } = request
    if (performance.now() - prunedAt > PRUNE_INTERVAL_MS || ++createdSincePrune >= PRUNE_AFTER_JOBS) void prune()
    const { tagPrefix } = commandRunner
    const fields = {
      command: toRecordedCommand(command),
      background,
      user,
      session,
      cwd,
      owner,
      family: tagPrefix,
      tag: '',
      keep: jobsOutliveServer,
      startedAt,
      ...(openInput && describeInput(openInput.terminal)),
    }
    if (ledger) return createShared(ledger, fields)
    const record = asJobStorageFailure(() => records.create(fields))
    takeover.skip(record.id)
    return record
  }

  /** The number comes from the database, so that it means the same job on every machine. */
  async function createShared(jobLedger: JobLedger, fields: Omit<JobRecord, 'id'>): Promise<JobRecord> {
    for (;;) {
      const above = asJobStorageFailure(() => records.highestId())
      const record = await jobLedger.create(fields, above)
      try {
        takeover.skip(record.id)
        if (asJobStorageFailure(() => records.createWithId(record))) return record
      } catch (error) {
        await jobLedger.remove(record.id).catch(() => undefined)
        throw error
      }
      await jobLedger.remove(record.id)
    }
  }

  async function prune(): Promise<void> {
    prunedAt = performance.now()
    createdSincePrune = 0
    for (const id of await records.prune(PRUNE_LIMITS)) jobs.delete(id)
  }

  async function startWithWriter(request: StartJobRequest): Promise<StartedJob> {
    const record = await create(request)
    return removeOnFailure<StartedJob>(record, async () => {
      const responder = createQueryResponder()
      const execution = await startCommand(request, (order) => commandRunner.run(withInput(order, request, responder)))
      const job = write(record, execution)
      responder.attach(job)
      return { execution, job }
    })
  }

  async function startSelfRecording(request: StartJobRequest): Promise<StartedJob> {
    const record = await create(request)
    const output = outputOf(record.id)
    const recording = {
      folder: records.outputFolder(record.id),
      statusFile: records.statusFile(record.id),
      segmentBytes: getSegmentSize(maxOutputBytes),
      segments: MAX_SEGMENTS,
    }
    return removeOnFailure<StartedJob>(record, async () => {
      // Stored before it runs: it may outlive this server from its first moment.
      const responder = createQueryResponder()
      const onTag = (tag: string): void => records.updateNow({ ...record, tag })
      const launch: CommandRunner['run'] = (order) =>
        runAndFollowOutput(
          commandRunner,
          { ...withInput(order, request, responder, records.inputFifo(record.id)), onTag, record: recording },
          output,
        )
      const execution = await startCommand(request, launch)
      execution.buffer.discard()
      const job = register(record, execution, fromRecording(execution, output))
      responder.attach(job)
      return { execution, job }
    })
  }

  function write(record: JobRecord, execution: CommandExecution): Job {
    const writer = createJobOutputWriter(records.outputFolder(record.id), maxOutputBytes)
    execution.buffer.drainTo(writer)
    return register(record, execution, fromWriter(execution, writer))
  }

  /** A job that could not be started is deleted; its ID stays used. */
  async function removeOnFailure<T>({ id }: JobRecord, action: () => Promise<T>): Promise<T> {
    try {
      return await action()
    } catch (error) {
      await removeRecord(id)
      throw error
    }
  }

  async function removeRecord(id: number): Promise<void> {
    await records.deleteFiles(id)
    // A row that stays is deleted with the other old ones.
    await ledger?.remove(id).catch(() => undefined)
  }

  const isRegistered = (id: number): boolean => jobs.has(id)
  const takeover = createJobTakeover({
    records,
    // On several machines the database knows which is there; a pid or a host name says nothing.
    isOwnerAlive: async ({ id, family }) =>
      (await ledger?.isOwnerThere(id)) ?? (await isServerAlive(registryPath, family)),
    commandRunner,
    isRegistered,
    save: saveQuietly,
    add: (record, source) => void add(record, source),
  })
  const list = (): readonly Job[] => [...jobs.values()].toSorted((a, b) => a.id - b.id)
  await takeover.takeOverAll()

  return {
    list,
    async takeOverAndList() {
      await takeover.takeOverAll()
      const others = (await shared?.listOthers(isRegistered)) ?? []
      return others.length === 0 ? list() : [...list(), ...others].toSorted((a, b) => a.id - b.id)
    },
    start: (request) => (jobsOutliveServer ? startSelfRecording(request) : startWithWriter(request)),
    async recordRunning(execution, request) {
      return write(await create(request, execution.startedAt), execution)
    },
    async find(id) {
      const record = jobs.has(id) ? undefined : await records.load(id)
      if (record) await takeover.takeOverJob(record)
      const registered = jobs.get(id)
      if (registered) return registered
      if (record?.ending !== undefined) return add(record)
      const other = await shared?.find(id)
      if (other) return other
      if (record)
        throw new Failure(`Job ${id} belongs to another running server of this project. Read it or kill it there.`)
      throw new Failure(`There is no job ${id}. ${describeJobIds([...jobs.values()])}`)
    },
    recordTyped: (job, typed) => appendTyped(records.typedFile(job.id), typed),
    async remove(job) {
      jobs.delete(job.id)
      await removeRecord(job.id)
    },
  }
}

function describeInput(terminal: TerminalOptions | undefined): Pick<JobRecord, 'stdin' | 'sizes'> {
  if (!terminal) return { stdin: 'pipe' }
  const { cols, rows } = terminal
  return { stdin: 'terminal', sizes: [{ from: 0, cols, rows }] }
}

/** Opens the stdin of a command, and lets its terminal answer what programs ask terminals. */
function withInput(
  order: RunRequest,
  { openInput }: StartJobRequest,
  responder: QueryResponder,
  fifo?: string,
): RunRequest {
  if (!openInput) return order
  const { terminal } = openInput
  const opened = { ...order, openInput: { terminal, fifo } }
  if (!terminal) return opened
  return {
    ...opened,
    onOutput(chunk) {
      order.onOutput(chunk)
      responder.look(chunk)
    },
  }
}

function describeJobIds(jobs: readonly Job[]): string {
  const ids = jobs.filter(({ record }) => record.background).map(({ id }) => id)
  return ids.length === 0 ? 'Start one with BackgroundBash.' : `Existing jobs: ${ids.slice(-20).join(', ')}.`
}
