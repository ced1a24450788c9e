// The background jobs of a project. Each belongs to a user, has an ID that is never reused, and stores its output on
// disk. Jobs end with the server, except with JOBS_OUTLIVE_SERVER.

import { Failure } from '../../lib/failure.js'
import type { LinePattern } from '../../lib/line-pattern.js'
import type { Notices } from '../notices.js'
import { leftProcesses, type LeftProcess } from '../shell/left-process.js'
import type { Work } from '../shell/work.js'
import type { Who } from '../who.js'
import { openBook, type Book, type JobEnvironment, type Plan, type Started, type StartJobCommand } from './book.js'
import type { Job } from './job.js'
import { NotKept, orNotKept } from './not-kept.js'
import type { Places } from './places.js'
import { readMatching, readOn, readTail, type Part } from './reading.js'
import { JOBS_URI, uriOf } from './uri.js'
import { waitFor, type Arrival, type Wish } from './waiting.js'

const KILL_AFTER_MS = 2000
/** Minimum interval between output notifications of one job. */
const TELL_EVERY_MS = 500
/** Jobs listed in an error message. */
const MAX_NAMED = 20
/** Sessions whose read position is stored for each job. */
const MAX_READERS = 1000
/** Characters of a job's output that is read as a resource. */
const MAX_SHOWN = 200_000

export interface Jobs {
  /** Starts a command as a job, in the background or for a waiting call. */
  start(command: string, caller: Who, options: Manner): Promise<Started>
  /** Records a running foreground command as a job. */
  keep(execution: Work, caller: Who): Promise<Job>
  discard(job: Job): Promise<void>
  read(id: number, caller: Who, query: Query, signal: AbortSignal): Promise<Reading>
  /** Output from the beginning, up to a limit. Does not advance the read position. */
  show(id: number, caller: Who): Promise<{ readonly job: Job; readonly text: string }>
  list(caller: Who): Promise<readonly Job[]>
  find(id: number, caller: Who): Promise<Job>
  kill(id: number, caller: Who): Promise<Kill>
  /** Kills jobs that end with the server. Resolves to the tags of those that keep running. */
  close(killAfterMs: number): Promise<ReadonlySet<string>>
}

export type Manner = Pick<Plan, 'background' | 'input' | 'maxCharacters' | 'maxLine'>

export interface Query {
  readonly wish?: Wish | undefined
  readonly only?: LinePattern | undefined
  readonly tail?: number | undefined
  /** Longer output is cut to its head and tail. */
  readonly maxCharacters: number
}

export interface Kill {
  readonly job: Job
  readonly wasRunning: boolean
  /** Processes that could not be killed. */
  readonly survivors: readonly LeftProcess[]
}

export interface Reading extends Part {
  readonly job: Job
  /** Processes still running after the job ended; undefined if unknown. */
  readonly left: readonly LeftProcess[] | undefined
  readonly arrival: Arrival | undefined
}

export interface SharedJobDeps extends JobEnvironment {
  /** Throws a Failure if jobs cannot be stored. */
  readonly places: () => Places
  readonly maxRunning: number
  readonly notices: Notices
}

export interface JobsSettings extends SharedJobDeps {
  readonly startWork: StartJobCommand
}

export function createJobs(settings: JobsSettings): Jobs {
  const { places: jobDirectory, maxRunning, notices: changeEvents, outlive: jobsOutliveServer } = settings
  const userJobs = new Map<string, Promise<Book>>()
  const starting = new Map<Book, number>()
  const startups = new Set<Promise<Started>>()

  function userJobsOf({ user }: Pick<Who, 'user'>): Promise<Book> {
    const existing = userJobs.get(user)
    if (existing) return existing
    const opening = open(user)
    userJobs.set(user, opening)
    // After a failure the next call tries again.
    opening.catch(() => userJobs.delete(user))
    return opening
  }

  async function open(user: string): Promise<Book> {
    const directory = orNotKept(jobDirectory)
    const onChange = createTeller(changeEvents, user)
    return openBook({ ...settings, roll: directory.roll, folder: directory.folderOf(user), onChange })
  }

  function refuseTooMany(jobs: Book): void {
    const running = jobs.list().filter(({ isRunning, record }) => isRunning && record.background)
    if (running.length + (starting.get(jobs) ?? 0) < maxRunning) return
    const ids = running.slice(0, MAX_NAMED).map(({ id }) => id)
    const which = ids.length === 0 ? '' : ` Running: ${ids.join(', ')}${ids.length < running.length ? ', ...' : '.'}`
    throw new Failure(
      `${maxRunning} background tasks are running, which is the limit: end one with KillBgTask.${which}`,
    )
  }

  async function startInBackground(jobs: Book, request: Plan): Promise<Started> {
    refuseTooMany(jobs)
    starting.set(jobs, (starting.get(jobs) ?? 0) + 1)
    try {
      return await jobs.start(request)
    } finally {
      starting.set(jobs, (starting.get(jobs) ?? 0) - 1)
    }
  }

  async function start(command: string, caller: Who, options: Manner): Promise<Started> {
    const request = { command, ...options, ...caller }
    try {
      const jobs = await userJobsOf(caller)
      return await (request.background ? startInBackground(jobs, request) : jobs.start(request))
    } catch (error) {
      throw error instanceof NotKept ? new NotKept(`The command was not started: ${error.message}.`) : error
    }
  }

  return {
    start(command, caller, options) {
      const started = start(command, caller, options)
      const finish = (): void => void startups.delete(started)
      startups.add(started)
      started.then(finish, finish)
      return started
    },
    async keep(execution, caller) {
      const jobs = await userJobsOf(caller)
      return jobs.keep(execution, { command: execution.command, background: false, ...caller })
    },
    async discard(job) {
      await job.ended
      await (await userJobsOf(job.record)).remove(job)
    },
    async read(id, caller, query, signal) {
      const { wish: request } = query
      const job = await (await userJobsOf(caller)).find(id)
      const position = (): number => job.positions.get(caller.session) ?? 0
      const waitResult = request ? await waitFor(job, position(), request, signal) : undefined
      const part = await settled(job, () => partOf(job, position(), query))
      // Do not advance the read position if the call was cancelled.
      if (!signal.aborted) remember(job.positions, caller.session, part.next)
      const leftoverPids = await job.left()
      return { ...part, job, arrival: waitResult, left: leftoverPids && leftProcesses(leftoverPids) }
    },
    async show(id, caller) {
      const job = await (await userJobsOf(caller)).find(id)
      const { text } = await settled(job, () => readOn(job, 0, { maxCharacters: MAX_SHOWN, maxLine: Infinity }))
      return { job, text }
    },
    list: async (caller) => (await (await userJobsOf(caller)).all()).filter(({ record }) => record.background),
    find: async (id, caller) => (await userJobsOf(caller)).find(id),
    async kill(id, caller) {
      const job = await (await userJobsOf(caller)).find(id)
      const wasRunning = job.isRunning
      const survivors = await job.end('killed', KILL_AFTER_MS)
      return { job, wasRunning, survivors: leftProcesses(survivors) }
    },
    async close(killAfterMs) {
      // Commands that are being started have no job yet.
      await Promise.allSettled(startups)
      const opened = await Promise.allSettled(userJobs.values())
      const running = opened
        .flatMap((result) => (result.status === 'fulfilled' ? result.value.list() : []))
        .filter(({ isRunning }) => isRunning)
      if (jobsOutliveServer)
        return new Set(running.filter(({ record }) => record.background).map(({ record }) => record.tag))
      // Jobs taken over from a server with JOBS_OUTLIVE_SERVER keep running.
      const ending = running.filter(({ record }) => !(record.keep && record.background))
      await Promise.all(ending.map((job) => job.end('server-stopped', killAfterMs)))
      return new Set()
    },
  }
}

function remember(positions: Map<string, number>, reader: string, position: number): void {
  positions.delete(reader)
  positions.set(reader, position)
  const [oldest] = positions.keys()
  if (positions.size > MAX_READERS && oldest !== undefined) positions.delete(oldest)
}

/** Reads again if the job ended meanwhile, so that a result that reports the end has the complete output. */
async function settled(job: Job, read: () => Promise<Part>): Promise<Part> {
  const wasRunning = job.isRunning
  await job.flush()
  const part = await read()
  return wasRunning && !job.isRunning ? read() : part
}

function partOf(job: Job, start: number, { only, tail, maxCharacters }: Query): Promise<Part> {
  if (tail !== undefined) return readTail(job, tail, only, maxCharacters)
  return only ? readMatching(job, start, only, maxCharacters) : readOn(job, start, { maxCharacters })
}

/** Notifies subscribers: of output at intervals, of start and end at once. */
function createTeller(changeEvents: Notices, user: string): (job: Job) => void {
  const listed = new Set<number>()
  const scheduled = new Set<number>()
  return ({ id, isRunning, record }) => {
    if (record.background && listed.has(id) !== isRunning) changeEvents.updated(JOBS_URI, user)
    if (record.background && isRunning) listed.add(id)
    else listed.delete(id)
    if (!isRunning) return changeEvents.updated(uriOf(id), user)
    if (scheduled.has(id)) return
    scheduled.add(id)
    const notify = (): void => {
      scheduled.delete(id)
      changeEvents.updated(uriOf(id), user)
    }
    setTimeout(notify, TELL_EVERY_MS).unref()
  }
}
