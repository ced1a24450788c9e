// The jobs of one user in one project: those started by this server, and those taken over from servers that exited.

import type { Caller } from '@scorpiox/mcp/definitions/caller'
import { Failure } from '@scorpiox/mcp/errors'
import type { CommandRunner } from '../../process/command-runner.js'
import { currentProcessIdentity } from '../../process/process-identity.js'
import type { CommandExecution } from './command-execution.js'
import { asJobStorageFailure } from './job-files.js'
import { type JobRecord, toRecordedCommand } from './job-record.js'
import { fromRecording, fromWriter, runAndFollowOutput } from './job-sources.js'
import { openJobStore } from './job-store.js'
import { createJobTakeover } from './job-takeover.js'
import { createJob, type Job, type JobSource } from './job.js'
import { openJobOutputReader } from './output-reader.js'
import { getSegmentSize, MAX_SEGMENTS } from './output-segments.js'
import { createJobOutputWriter } from './output-writer.js'

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
}

export interface StartJobRequest extends Caller {
  readonly command: string
  /** stdin; not recorded. */
  readonly input?: string | undefined
  /** False while a call waits for it. */
  readonly background: boolean
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
  /** Called when a job is added, prints output, or ends. */
  readonly onChange: (job: Job) => void
}

export async function openUserJobs(settings: UserJobsDeps): Promise<UserJobs> {
  const { directory, registryPath, cwd, commandRunner, startCommand, maxOutputBytes, jobsOutliveServer, onChange } =
    settings
  const records = openJobStore(directory)
  const owner = currentProcessIdentity()
  const jobs = new Map<number, Job>()
  let prunedAt = -Infinity
  let createdSincePrune = 0
  const outputOf = (id: number) => openJobOutputReader(records.outputFolder(id))

  /** A failed write is ignored: the record in memory is correct, and the next server re-checks the processes anyway. */
  function saveQuietly(record: JobRecord): Promise<void> {
    return records.save(record).catch(() => undefined)
  }

  function add(record: JobRecord, source?: JobSource): Job {
    const job = createJob({ record, output: outputOf(record.id), source, save: saveQuietly })
    jobs.set(job.id, job)
    if (source) {
      job.onChange(() => onChange(job))
      onChange(job)
    }
    return job
  }

  function register(record: JobRecord, execution: CommandExecution, source: JobSource): Job {
    const completed = { ...record, tag: execution.tag }
    records.updateNow(completed)
    return add(completed, source)
  }

  function create({ command, background, user, session }: StartJobRequest, startedAt = Date.now()): JobRecord {
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
    }
    return asJobStorageFailure(() => records.create(fields))
  }

  async function prune(): Promise<void> {
    prunedAt = performance.now()
    createdSincePrune = 0
    for (const id of await records.prune(PRUNE_LIMITS)) jobs.delete(id)
  }

  async function startWithWriter(request: StartJobRequest): Promise<StartedJob> {
    const record = create(request)
    return removeOnFailure<StartedJob>(record, async () => {
      const execution = await startCommand(request, commandRunner.run)
      return { execution, job: write(record, execution) }
    })
  }

  async function startSelfRecording(request: StartJobRequest): Promise<StartedJob> {
    const record = create(request)
    const output = outputOf(record.id)
    const recording = {
      folder: records.outputFolder(record.id),
      statusFile: records.statusFile(record.id),
      segmentBytes: getSegmentSize(maxOutputBytes),
      segments: MAX_SEGMENTS,
    }
    return removeOnFailure<StartedJob>(record, async () => {
      // Stored before it runs: it may outlive this server from its first moment.
      const onTag = (tag: string): void => records.updateNow({ ...record, tag })
      const launch: CommandRunner['run'] = (order) =>
        runAndFollowOutput(commandRunner, { ...order, onTag, record: recording }, output)
      const execution = await startCommand(request, launch)
      execution.buffer.discard()
      return { execution, job: register(record, execution, fromRecording(execution, output)) }
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
      await records.deleteFiles(id)
      throw error
    }
  }

  const isRegistered = (id: number): boolean => jobs.has(id)
  const takeover = createJobTakeover({
    records,
    registryPath,
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
      return list()
    },
    start: (request) => (jobsOutliveServer ? startSelfRecording(request) : startWithWriter(request)),
    async recordRunning(execution, request) {
      return write(create(request, execution.startedAt), execution)
    },
    async find(id) {
      const record = jobs.has(id) ? undefined : await records.load(id)
      if (record) await takeover.takeOverJob(record)
      const registered = jobs.get(id)
      if (registered) return registered
      if (record?.ending !== undefined) return add(record)
      if (record)
        throw new Failure(
          `Background task ${id} belongs to another server of this project, which still runs: read it and end it there.`,
        )
      throw new Failure(`There is no background task ${id}. ${describeJobIds([...jobs.values()])}`)
    },
    async remove(job) {
      jobs.delete(job.id)
      await records.deleteFiles(job.id)
    },
  }
}

function describeJobIds(jobs: readonly Job[]): string {
  const ids = jobs.filter(({ record }) => record.background).map(({ id }) => id)
  return ids.length === 0 ? 'Start one with BackgroundBash.' : `There are: ${ids.slice(-20).join(', ')}.`
}
