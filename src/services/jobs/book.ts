// The jobs of one user in one project: those started by this server, and those taken over from servers that exited.

import { Failure } from '../../lib/failure.js'
import type { Launcher } from '../../platform/launcher.js'
import { ourselves } from '../../platform/process-identity.js'
import { SEGMENTS_KEPT, segmentBytesOf } from '../../store/job-output.js'
import type { JobRecord } from '../../store/job-record.js'
import { openJobRecords } from '../../store/job-records.js'
import { openOutputReader } from '../../store/output-reader.js'
import { createOutputWriter } from '../../store/output-writer.js'
import type { Work } from '../shell/work.js'
import type { Who } from '../who.js'
import { launchFollowed } from './follow.js'
import { createHeir } from './heir.js'
import { createJob, type Job, type Source } from './job.js'
import { orNotKept } from './not-kept.js'
import { recordedBy, writtenBy } from './sources.js'

const PRUNE_EVERY_MS = 5000
const PRUNE = { keepEnded: 50, maxAgeMs: 7 * 24 * 60 * 60 * 1000, maxTotalBytes: 512 * 1024 * 1024 }

export interface Book {
  /** Jobs of this server and jobs it has taken over, oldest first. */
  list(): readonly Job[]
  /** The same, after taking over orphaned jobs. */
  all(): Promise<readonly Job[]>
  /** Rejects with a Failure that lists the existing IDs. */
  find(id: number): Promise<Job>
  start(request: Plan): Promise<Started>
  /** Records a command that is already running as a job. */
  keep(execution: Work, request: Plan): Promise<Job>
  remove(job: Job): Promise<void>
}

export interface Plan extends Who {
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

export interface Started {
  readonly job: Job
  readonly work: Work
}

export interface JobEnvironment {
  readonly cwd: string
  readonly launcher: Launcher
  readonly maxOutputBytes: number
  /** Background jobs keep running when the server exits. */
  readonly outlive: boolean
}

export type StartJobCommand = (request: Plan, launch: Launcher['launch']) => Promise<Work>

export interface BookSettings extends JobEnvironment {
  readonly folder: string
  /** Directory where the servers of this project are registered. */
  readonly roll: string
  readonly startWork: StartJobCommand
  /** Called when a job is added, prints output, or ends. */
  readonly onChange: (job: Job) => void
}

export async function openBook(settings: BookSettings): Promise<Book> {
  const {
    folder: directory,
    roll: registryPath,
    cwd,
    launcher,
    startWork,
    maxOutputBytes,
    outlive: jobsOutliveServer,
    onChange,
  } = settings
  const records = openJobRecords(directory)
  const owner = ourselves()
  const jobs = new Map<number, Job>()
  let prunedAt = -Infinity
  const outputOf = (id: number) => openOutputReader(records.outputFolder(id))

  /** A failed write is ignored: the record in memory is correct, and the next server re-checks the processes anyway. */
  function saveQuietly(record: JobRecord): Promise<void> {
    return records.save(record).catch(() => undefined)
  }

  function add(record: JobRecord, source?: Source): Job {
    const job = createJob({ record, output: outputOf(record.id), source, save: saveQuietly })
    jobs.set(job.id, job)
    if (source) {
      job.onChange(() => onChange(job))
      onChange(job)
    }
    return job
  }

  function register(record: JobRecord, execution: Work, source: Source): Job {
    const completed = { ...record, tag: execution.tag }
    records.complete(completed)
    return add(completed, source)
  }

  function create({ command, background, user, session }: Plan, startedAt = Date.now()): JobRecord {
    if (performance.now() - prunedAt > PRUNE_EVERY_MS) void prune()
    const { family } = launcher
    const fields = {
      command,
      background,
      user,
      session,
      cwd,
      owner,
      family,
      tag: '',
      keep: jobsOutliveServer,
      startedAt,
    }
    return orNotKept(() => records.create(fields))
  }

  async function prune(): Promise<void> {
    prunedAt = performance.now()
    for (const id of await records.prune(PRUNE)) jobs.delete(id)
  }

  async function startWithWriter(request: Plan): Promise<Started> {
    const record = create(request)
    return removeOnFailure<Started>(record, async () => {
      const execution = await startWork(request, launcher.launch)
      return { work: execution, job: write(record, execution) }
    })
  }

  async function startSelfRecording(request: Plan): Promise<Started> {
    const record = create(request)
    const output = outputOf(record.id)
    const recording = {
      folder: records.outputFolder(record.id),
      statusFile: records.statusFile(record.id),
      segmentBytes: segmentBytesOf(maxOutputBytes),
      segments: SEGMENTS_KEPT,
    }
    return removeOnFailure<Started>(record, async () => {
      // Stored before it runs: it may outlive this server from its first moment.
      const onTag = (tag: string): void => records.complete({ ...record, tag })
      const launch: Launcher['launch'] = (order) =>
        launchFollowed(launcher, { ...order, onTag, record: recording }, output)
      const execution = await startWork(request, launch)
      execution.spool.drop()
      return { work: execution, job: register(record, execution, recordedBy(execution, output)) }
    })
  }

  function write(record: JobRecord, execution: Work): Job {
    const writer = createOutputWriter(records.outputFolder(record.id), maxOutputBytes)
    execution.spool.pour(writer)
    return register(record, execution, writtenBy(execution, writer))
  }

  /** A job that could not be started is deleted; its ID stays used. */
  async function removeOnFailure<T>({ id }: JobRecord, action: () => Promise<T>): Promise<T> {
    try {
      return await action()
    } catch (error) {
      await records.remove(id)
      throw error
    }
  }

  const isRegistered = (id: number): boolean => jobs.has(id)
  const takeover = createHeir({
    records,
    roll: registryPath,
    launcher,
    isKnown: isRegistered,
    note: saveQuietly,
    add: (record, source) => void add(record, source),
  })
  const list = (): readonly Job[] => [...jobs.values()].toSorted((a, b) => a.id - b.id)
  await takeover.takeOverAll()

  return {
    list,
    async all() {
      await takeover.takeOverAll()
      return list()
    },
    start: (request) => (jobsOutliveServer ? startSelfRecording(request) : startWithWriter(request)),
    async keep(execution, request) {
      return write(create(request, execution.startedAt), execution)
    },
    async find(id) {
      const record = jobs.has(id) ? undefined : await records.load(id)
      if (record) await takeover.takeOver(record)
      const registered = jobs.get(id)
      if (registered) return registered
      if (record?.ending !== undefined) return add(record)
      if (record)
        throw new Failure(
          `Background task ${id} belongs to another server of this project, which still runs: read it and end it there.`,
        )
      throw new Failure(`There is no background task ${id}. ${whichThereAre([...jobs.values()])}`)
    },
    async remove(job) {
      jobs.delete(job.id)
      await records.remove(job.id)
    },
  }
}

function whichThereAre(jobs: readonly Job[]): string {
  const ids = jobs.filter(({ record }) => record.background).map(({ id }) => id)
  return ids.length === 0 ? 'Start one with BackgroundBash.' : `There are: ${ids.slice(-20).join(', ')}.`
}
