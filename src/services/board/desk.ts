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
const DATABASE_CHANGE_EVERY_MS = 25
/** Tool states may change with any call. */
const SERVER_EVERY_MS = 2000

/** Has no read positions of its own: reading for the console does not affect what models read. */
const CONSOLE_SESSION = 'board'

export interface Desk extends Watchers {
  readonly id: string
  /** Sends the current state to a console of this user, then changes. */
  visit(user: string, send: (update: DeskNews) => void): DeskVisit
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

interface Subscriber {
  readonly user: string
  readonly send: (update: DeskNews) => void
  readonly calls: Paced
  readonly jobs: Paced
  readonly databaseChange: Paced
  readonly server: Paced
  isWatching: boolean
}

export function createDesk(deps: DeskParts): Desk {
  const { id, project, calls, notices } = deps
  const subscribers = new Set<Subscriber>()
  const presenceListeners = new Set<() => void>()
  let state: State | undefined
  let unsubscribe: (() => void) | undefined
  deps.state.whenOpen((opened) => {
    state = opened
    if (unsubscribe) resubscribe()
  })

  function addSubscriber(user: string, send: Subscriber['send']): Subscriber {
    const subscriber: Subscriber = {
      user,
      send,
      isWatching: false,
      calls: paced(CALLS_EVERY_MS, () =>
        send({ calls: calls.of(user).map((call) => Object.assign({ server: id, project }, call)) }),
      ),
      jobs: paced(JOBS_EVERY_MS, async () => send({ jobs: await listJobViews(user) })),
      databaseChange: paced(DATABASE_CHANGE_EVERY_MS, () => send({ stirred: true })),
      server: paced(SERVER_EVERY_MS, createServerSender(send)),
    }
    subscribers.add(subscriber)
    if (!unsubscribe) resubscribe()
    subscriber.server.ask()
    subscriber.calls.ask()
    subscriber.jobs.ask()
    return subscriber
  }

  /** Sends the server only if it has changed. */
  function createServerSender(send: Subscriber['send']): () => Promise<void> {
    let last = ''
    return async () => {
      const server = await deps.server()
      const text = JSON.stringify(server)
      if (text !== last) send({ server })
      last = text
    }
  }

  /** If jobs cannot be listed now, the next change shows them. */
  async function listJobViews(user: string) {
    try {
      const jobs = await deps.jobs()
      if (!jobs) return []
      const { jobViews } = await import('./job-views.js')
      return await jobViews(jobs, { user, session: CONSOLE_SESSION }, { server: id, project })
    } catch {
      return []
    }
  }

  function forEachSubscriber(user: string | undefined, work: (subscriber: Subscriber) => void): void {
    for (const subscriber of subscribers) if (user === undefined || subscriber.user === user) work(subscriber)
  }

  function resubscribe(): void {
    unsubscribe?.()
    const unsubscribers = [
      calls.onChange((user) => {
        forEachSubscriber(user, (subscriber) => subscriber.calls.ask())
        // The state of a search engine concerns all users.
        forEachSubscriber(undefined, (subscriber) => subscriber.server.ask())
      }),
      notices.listen((event) => {
        if (event.kind !== 'resource' || !event.uri.startsWith(JOBS_URI)) return
        forEachSubscriber(event.user, (subscriber) => subscriber.jobs.ask())
      }),
      state?.onChange((scope) => forEachSubscriber(scope.user, (subscriber) => subscriber.databaseChange.ask())),
    ]
    unsubscribe = () => unsubscribers.forEach((stop) => stop?.())
  }

  function removeSubscriber(subscriber: Subscriber): void {
    if (!subscribers.delete(subscriber)) return
    for (const work of [subscriber.calls, subscriber.jobs, subscriber.databaseChange, subscriber.server]) work.stop()
    if (subscriber.isWatching) notifyPresence()
    if (subscribers.size > 0) return
    unsubscribe?.()
    unsubscribe = undefined
  }

  function notifyPresence(): void {
    for (const listener of presenceListeners) listener()
  }

  return {
    id,
    visit(user, send) {
      const subscriber = addSubscriber(user, send)
      return {
        watching(isWatching) {
          if (subscriber.isWatching === isWatching || !subscribers.has(subscriber)) return
          subscriber.isWatching = isWatching
          notifyPresence()
        },
        async kill(job) {
          await (await requireJobs(deps, job)).kill(job, { user, session: CONSOLE_SESSION })
        },
        async output(job, from, maxBytes) {
          const found = await (await requireJobs(deps, job)).find(job, { user, session: CONSOLE_SESSION })
          return readPassage(found, from, maxBytes)
        },
        stirred: () => void state?.look(),
        leave: () => removeSubscriber(subscriber),
      }
    },
    isWatched: (user) => [...subscribers].some((subscriber) => subscriber.isWatching && subscriber.user === user),
    onChange(listener) {
      presenceListeners.add(listener)
      return () => void presenceListeners.delete(listener)
    },
    async close() {
      for (const subscriber of subscribers) removeSubscriber(subscriber)
    },
  }
}

async function requireJobs({ jobs }: DeskParts, id: number): Promise<Jobs> {
  const opened = await jobs()
  if (opened) return opened
  throw new Failure(`There is no background task ${id} in this server.`)
}
