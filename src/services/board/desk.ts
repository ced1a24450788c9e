// What this server publishes to consoles, and the actions it accepts: calls, jobs and tool states, each to the user
// they belong to. It is active only while a console is connected, and opens no services.

import { Failure } from '../../lib/failure.js'
import { paced, type Paced } from '../../lib/paced.js'
import type { State } from '../../store/state/state.js'
import type { Jobs } from '../jobs/jobs.js'
import { JOBS_URI } from '../jobs/uri.js'
import type { Notices } from '../notices.js'
import type { LazyState } from '../state.js'
import type { DeskNews } from './desk-news.js'
import { readPassage, type OutputPassage } from './output-passage.js'
import type { RecentCalls } from './recent-calls.js'
import type { ServerView } from './view.js'
import type { Watchers } from './watchers.js'

const CALLS_EVERY_MS = 200
const JOBS_EVERY_MS = 500
const STIR_EVERY_MS = 25
/** Tool states may change with any call. */
const SERVER_EVERY_MS = 2000

/** Has no read positions of its own: reading for the console does not affect what models read. */
const BOARD_SESSION = 'board'

export interface Desk extends Watchers {
  readonly id: string
  /** Sends the current state to a console of this user, then changes. */
  visit(user: string, tell: (news: DeskNews) => void): DeskVisit
  close(): Promise<void>
}

/** A feed as used by a console, in this process or over its socket. */
export interface DeskVisit {
  /** Whether a user is watching. */
  watching(isWatching: boolean): void
  kill(job: number): Promise<void>
  /** At most `maxBytes` of the output, from an offset. */
  output(job: number, from: number, maxBytes: number): Promise<OutputPassage>
  /** Another process has changed the database. */
  stirred(): void
  leave(): void
}

export interface DeskParts {
  /** Called when a console connects and after calls. */
  readonly server: () => Promise<ServerView>
  readonly id: string
  readonly project: string
  readonly calls: RecentCalls
  /** Undefined until the first background job. */
  readonly jobs: () => Promise<Jobs> | undefined
  readonly notices: Notices
  readonly state: LazyState
}

interface Visitor {
  readonly user: string
  readonly tell: (news: DeskNews) => void
  readonly calls: Paced
  readonly jobs: Paced
  readonly stir: Paced
  readonly server: Paced
  isWatching: boolean
}

export function createDesk(parts: DeskParts): Desk {
  const { id, project, calls, notices } = parts
  const visitors = new Set<Visitor>()
  const watchListeners = new Set<() => void>()
  let state: State | undefined
  let stopListening: (() => void) | undefined
  parts.state.whenOpen((opened) => {
    state = opened
    if (stopListening) relisten()
  })

  function receive(user: string, tell: Visitor['tell']): Visitor {
    const visitor: Visitor = {
      user,
      tell,
      isWatching: false,
      calls: paced(CALLS_EVERY_MS, () =>
        tell({ calls: calls.of(user).map((call) => Object.assign({ server: id, project }, call)) }),
      ),
      jobs: paced(JOBS_EVERY_MS, async () => tell({ jobs: await jobsOf(user) })),
      stir: paced(STIR_EVERY_MS, () => tell({ stirred: true })),
      server: paced(SERVER_EVERY_MS, serverTold(tell)),
    }
    visitors.add(visitor)
    if (!stopListening) relisten()
    visitor.server.ask()
    visitor.calls.ask()
    visitor.jobs.ask()
    return visitor
  }

  /** Sends the server only if it has changed. */
  function serverTold(tell: Visitor['tell']): () => Promise<void> {
    let last = ''
    return async () => {
      const server = await parts.server()
      const text = JSON.stringify(server)
      if (text !== last) tell({ server })
      last = text
    }
  }

  /** If jobs cannot be listed now, the next change shows them. */
  async function jobsOf(user: string) {
    try {
      const jobs = await parts.jobs()
      if (!jobs) return []
      const { jobViews } = await import('./job-views.js')
      return await jobViews(jobs, { user, session: BOARD_SESSION }, { server: id, project })
    } catch {
      return []
    }
  }

  function each(user: string | undefined, work: (visitor: Visitor) => void): void {
    for (const visitor of visitors) if (user === undefined || visitor.user === user) work(visitor)
  }

  function relisten(): void {
    stopListening?.()
    const ways = [
      calls.onChange((user) => {
        each(user, (visitor) => visitor.calls.ask())
        // The state of a search engine concerns all users.
        each(undefined, (visitor) => visitor.server.ask())
      }),
      notices.listen((notice) => {
        if (notice.kind !== 'resource' || !notice.uri.startsWith(JOBS_URI)) return
        each(notice.user, (visitor) => visitor.jobs.ask())
      }),
      state?.onChange((scope) => each(scope.user, (visitor) => visitor.stir.ask())),
    ]
    stopListening = () => ways.forEach((wayOut) => wayOut?.())
  }

  function leave(visitor: Visitor): void {
    if (!visitors.delete(visitor)) return
    for (const work of [visitor.calls, visitor.jobs, visitor.stir, visitor.server]) work.stop()
    if (visitor.isWatching) tellWatchers()
    if (visitors.size > 0) return
    stopListening?.()
    stopListening = undefined
  }

  function tellWatchers(): void {
    for (const listener of watchListeners) listener()
  }

  return {
    id,
    visit(user, tell) {
      const visitor = receive(user, tell)
      return {
        watching(isWatching) {
          if (visitor.isWatching === isWatching || !visitors.has(visitor)) return
          visitor.isWatching = isWatching
          tellWatchers()
        },
        async kill(job) {
          await (await jobsOrFailure(parts, job)).kill(job, { user, session: BOARD_SESSION })
        },
        async output(job, from, maxBytes) {
          const found = await (await jobsOrFailure(parts, job)).find(job, { user, session: BOARD_SESSION })
          return readPassage(found, from, maxBytes)
        },
        stirred: () => void state?.look(),
        leave: () => leave(visitor),
      }
    },
    isWatched: (user) => [...visitors].some((visitor) => visitor.isWatching && visitor.user === user),
    onChange(listener) {
      watchListeners.add(listener)
      return () => void watchListeners.delete(listener)
    },
    async close() {
      for (const visitor of visitors) leave(visitor)
    },
  }
}

async function jobsOrFailure({ jobs }: DeskParts, id: number): Promise<Jobs> {
  const opened = await jobs()
  if (opened) return opened
  throw new Failure(`There is no background task ${id} in this server.`)
}
