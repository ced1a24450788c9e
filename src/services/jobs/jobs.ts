// The jobs of a project: commands that run behind. Each belongs to a user, has a number that is never used again, and
// keeps what it printed on disk. They end with the server unless they are to go on.

import { Failure } from '../../lib/failure.js'
import type { LinePattern } from '../../lib/line-pattern.js'
import type { Notices } from '../notices.js'
import { leftProcesses, type LeftProcess } from '../shell/left-process.js'
import type { Work } from '../shell/work.js'
import type { Who } from '../who.js'
import { openBook, type Book, type BookSettings, type Plan, type Started } from './book.js'
import type { Job } from './job.js'
import { NotKept, orNotKept } from './not-kept.js'
import type { Places } from './places.js'
import { readMatching, readOn, readTail, type Part } from './reading.js'
import { JOBS_URI, uriOf } from './uri.js'
import { waitFor, type Arrival, type Wish } from './waiting.js'

const KILL_AFTER_MS = 2000
/** How often those who subscribed are told of output. */
const TELL_EVERY_MS = 500
/** Jobs that a refusal names. */
const MAX_NAMED = 20
/** Readers of a job whose place is remembered. */
const MAX_READERS = 1000
/** Characters of a job that is read as a resource. */
const MAX_SHOWN = 200_000

export interface Jobs {
  /** Starts a command; in the background, or for somebody who waits for it. */
  start(command: string, who: Who, manner: Manner): Promise<Started>
  /** Keeps what a command prints that somebody waits for. */
  keep(work: Work, who: Who): Promise<Job>
  discard(job: Job): Promise<void>
  read(id: number, who: Who, query: Query, signal: AbortSignal): Promise<Reading>
  /** Its output from the beginning, as much as fits; nothing counts as read. */
  show(id: number, who: Who): Promise<{ readonly job: Job; readonly text: string }>
  list(who: Who): Promise<readonly Job[]>
  find(id: number, who: Who): Promise<Job>
  kill(id: number, who: Who): Promise<Kill>
  /** Ends what does not go on; returns the tags of what does. */
  close(killAfterMs: number): Promise<ReadonlySet<string>>
}

export type Manner = Pick<Plan, 'background' | 'input' | 'maxCharacters' | 'maxLine'>

export interface Query {
  readonly wish?: Wish | undefined
  readonly only?: LinePattern | undefined
  readonly tail?: number | undefined
  /** How much of the output is returned; of a longer one the head and the tail. */
  readonly maxCharacters: number
}

export interface Kill {
  readonly job: Job
  readonly wasRunning: boolean
  /** What could not be killed. */
  readonly survivors: readonly LeftProcess[]
}

export interface Reading extends Part {
  readonly job: Job
  /** What the job started that still runs after its end; undefined where that is not known. */
  readonly left: readonly LeftProcess[] | undefined
  readonly arrival: Arrival | undefined
}

export interface JobsSettings extends Omit<BookSettings, 'folder' | 'roll' | 'onChange'> {
  /** Throws a Failure where nothing can be kept. */
  readonly places: () => Places
  readonly maxRunning: number
  readonly notices: Notices
}

export function createJobs(settings: JobsSettings): Jobs {
  const { places, maxRunning, notices, outlive } = settings
  const books = new Map<string, Promise<Book>>()
  const starting = new Map<Book, number>()
  const begun = new Set<Promise<Started>>()

  function bookOf({ user }: Pick<Who, 'user'>): Promise<Book> {
    const known = books.get(user)
    if (known) return known
    const opening = open(user)
    books.set(user, opening)
    // One that could not be opened is tried again by the next call.
    opening.catch(() => books.delete(user))
    return opening
  }

  async function open(user: string): Promise<Book> {
    const kept = orNotKept(places)
    const onChange = createTeller(notices, user)
    return openBook({ ...settings, roll: kept.roll, folder: kept.folderOf(user), onChange })
  }

  function refuseTooMany(book: Book): void {
    const running = book.list().filter(({ isRunning, record }) => isRunning && record.background)
    if (running.length + (starting.get(book) ?? 0) < maxRunning) return
    const ids = running.slice(0, MAX_NAMED).map(({ id }) => id)
    const which = ids.length === 0 ? '' : ` Running: ${ids.join(', ')}${ids.length < running.length ? ', ...' : '.'}`
    throw new Failure(`${maxRunning} background tasks are running, and no more may: end one with KillBgTask.${which}`)
  }

  async function startBehind(book: Book, plan: Plan): Promise<Started> {
    refuseTooMany(book)
    starting.set(book, (starting.get(book) ?? 0) + 1)
    try {
      return await book.start(plan)
    } finally {
      starting.set(book, (starting.get(book) ?? 0) - 1)
    }
  }

  async function start(command: string, who: Who, manner: Manner): Promise<Started> {
    const plan = { command, ...manner, ...who }
    try {
      const book = await bookOf(who)
      return await (plan.background ? startBehind(book, plan) : book.start(plan))
    } catch (error) {
      throw error instanceof NotKept ? new NotKept(`The command was not started: ${error.message}.`) : error
    }
  }

  return {
    start(command, who, manner) {
      const started = start(command, who, manner)
      const settle = (): void => void begun.delete(started)
      begun.add(started)
      started.then(settle, settle)
      return started
    },
    async keep(work, who) {
      const book = await bookOf(who)
      return book.keep(work, { command: work.command, background: false, ...who })
    },
    async discard(job) {
      await job.ended
      await (await bookOf(job.record)).remove(job)
    },
    async read(id, who, query, signal) {
      const { wish } = query
      const job = await (await bookOf(who)).find(id)
      const position = (): number => job.positions.get(who.session) ?? 0
      const arrival = wish ? await waitFor(job, position(), wish, signal) : undefined
      const part = await settled(job, () => partOf(job, position(), query))
      // Who has hung up has not read it.
      if (!signal.aborted) remember(job.positions, who.session, part.next)
      const left = await job.left()
      return { ...part, job, arrival, left: left && leftProcesses(left) }
    },
    async show(id, who) {
      const job = await (await bookOf(who)).find(id)
      const { text } = await settled(job, () => readOn(job, 0, { maxCharacters: MAX_SHOWN, maxLine: Infinity }))
      return { job, text }
    },
    list: async (who) => (await (await bookOf(who)).all()).filter(({ record }) => record.background),
    find: async (id, who) => (await bookOf(who)).find(id),
    async kill(id, who) {
      const job = await (await bookOf(who)).find(id)
      const wasRunning = job.isRunning
      const survivors = await job.end('killed', KILL_AFTER_MS)
      return { job, wasRunning, survivors: leftProcesses(survivors) }
    },
    async close(killAfterMs) {
      // What is being started has no job yet.
      await Promise.allSettled(begun)
      const opened = await Promise.allSettled(books.values())
      const running = opened
        .flatMap((result) => (result.status === 'fulfilled' ? result.value.list() : []))
        .filter(({ isRunning }) => isRunning)
      if (outlive) return new Set(running.filter(({ record }) => record.background).map(({ record }) => record.tag))
      // One that was taken over from a server with JOBS_OUTLIVE_SERVER goes on.
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

/** Read again where the job has ended meanwhile: who hears of the end has heard everything. */
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

/** Tells subscribers: of output now and then, of the beginning and the end at once. */
function createTeller(notices: Notices, user: string): (job: Job) => void {
  const listed = new Set<number>()
  const told = new Set<number>()
  return ({ id, isRunning, record }) => {
    if (record.background && listed.has(id) !== isRunning) notices.updated(JOBS_URI, user)
    if (record.background && isRunning) listed.add(id)
    else listed.delete(id)
    if (!isRunning) return notices.updated(uriOf(id), user)
    if (told.has(id)) return
    told.add(id)
    const tell = (): void => {
      told.delete(id)
      notices.updated(uriOf(id), user)
    }
    setTimeout(tell, TELL_EVERY_MS).unref()
  }
}
