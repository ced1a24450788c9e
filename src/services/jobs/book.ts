// The jobs of one user in one project: those started here, and those whose server is gone.

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
  /** Those of this server and those it has taken over, oldest first. */
  list(): readonly Job[]
  /** The same, once it has been looked whether there are any to be taken over. */
  all(): Promise<readonly Job[]>
  /** A failure says which there are. */
  find(id: number): Promise<Job>
  start(plan: Plan): Promise<Started>
  /** Keeps what a command prints that is already at work. */
  keep(work: Work, plan: Plan): Promise<Job>
  remove(job: Job): Promise<void>
}

export interface Plan extends Who {
  readonly command: string
  /** What it reads from stdin, which is written down nowhere. */
  readonly input?: string | undefined
  /** Nobody waits for it. */
  readonly background: boolean
  /** How much of its output the result of the call may show that waits for it. */
  readonly maxCharacters?: number | undefined
  /** How much of a single line. */
  readonly maxLine?: number | undefined
}

export interface Started {
  readonly job: Job
  readonly work: Work
}

export interface BookSettings {
  readonly folder: string
  /** Where servers of this project sign in. */
  readonly roll: string
  readonly cwd: string
  readonly launcher: Launcher
  readonly startWork: (plan: Plan, launch: Launcher['launch']) => Promise<Work>
  readonly maxOutputBytes: number
  /** Jobs go on when the server is gone. */
  readonly outlive: boolean
  /** Told when a job has come, has printed something, and has ended. */
  readonly onChange: (job: Job) => void
}

export async function openBook(settings: BookSettings): Promise<Book> {
  const { folder, roll, cwd, launcher, startWork, maxOutputBytes, outlive, onChange } = settings
  const records = openJobRecords(folder)
  const owner = ourselves()
  const jobs = new Map<number, Job>()
  let prunedAt = -Infinity
  const outputOf = (id: number) => openOutputReader(records.outputFolder(id))

  /** What cannot be written down is true all the same; should we be killed, the next server finds out for itself. */
  function note(record: JobRecord): Promise<void> {
    return records.save(record).catch(() => undefined)
  }

  function add(record: JobRecord, source?: Source): Job {
    const job = createJob({ record, output: outputOf(record.id), source, save: note })
    jobs.set(job.id, job)
    if (source) {
      job.onChange(() => onChange(job))
      onChange(job)
    }
    return job
  }

  function enter(record: JobRecord, work: Work, source: Source): Job {
    const complete = { ...record, tag: work.tag }
    records.complete(complete)
    return add(complete, source)
  }

  function create({ command, background, user, session }: Plan, startedAt = Date.now()): JobRecord {
    if (performance.now() - prunedAt > PRUNE_EVERY_MS) void prune()
    const { family } = launcher
    const fields = { command, background, user, session, cwd, owner, family, tag: '', keep: outlive, startedAt }
    return orNotKept(() => records.create(fields))
  }

  async function prune(): Promise<void> {
    prunedAt = performance.now()
    for (const id of await records.prune(PRUNE)) jobs.delete(id)
  }

  async function startWritten(plan: Plan): Promise<Started> {
    const record = create(plan)
    return orRemoved(record, async () => {
      const work = await startWork(plan, launcher.launch)
      return { work, job: write(record, work) }
    })
  }

  async function startRecorded(plan: Plan): Promise<Started> {
    const record = create(plan)
    const output = outputOf(record.id)
    const recording = {
      folder: records.outputFolder(record.id),
      statusFile: records.statusFile(record.id),
      segmentBytes: segmentBytesOf(maxOutputBytes),
      segments: SEGMENTS_KEPT,
    }
    return orRemoved(record, async () => {
      // At once: it may outlive us from its first moment.
      const onTag = (tag: string): void => records.complete({ ...record, tag })
      const launch: Launcher['launch'] = (order) =>
        launchFollowed(launcher, { ...order, onTag, record: recording }, output)
      const work = await startWork(plan, launch)
      work.spool.drop()
      return { work, job: enter(record, work, recordedBy(work, output)) }
    })
  }

  function write(record: JobRecord, work: Work): Job {
    const writer = createOutputWriter(records.outputFolder(record.id), maxOutputBytes)
    work.spool.pour(writer)
    return enter(record, work, writtenBy(work, writer))
  }

  /** A job that could not be started leaves nothing but its number. */
  async function orRemoved<T>({ id }: JobRecord, work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      await records.remove(id)
      throw error
    }
  }

  const isKnown = (id: number): boolean => jobs.has(id)
  const heir = createHeir({ records, roll, launcher, isKnown, note, add: (record, source) => void add(record, source) })
  const list = (): readonly Job[] => [...jobs.values()].toSorted((a, b) => a.id - b.id)
  await heir.takeOverAll()

  return {
    list,
    async all() {
      await heir.takeOverAll()
      return list()
    },
    start: (plan) => (outlive ? startRecorded(plan) : startWritten(plan)),
    async keep(work, plan) {
      return write(create(plan, work.startedAt), work)
    },
    async find(id) {
      const record = jobs.has(id) ? undefined : await records.load(id)
      if (record) await heir.takeOver(record)
      const known = jobs.get(id)
      if (known) return known
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
