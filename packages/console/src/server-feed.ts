// What this server publishes to consoles, and the actions it accepts: calls, jobs and tool states, each to the user they
// belong to. It is active only while a console is connected, and opens no services. Created by open-server-feed.ts. Reads
// the output of jobs, and what they use while a user watches; kills and restarts jobs on request.

import type { Caller } from '@scorpiox/mcp/definitions/caller'
import type { ChangeEvents } from '@scorpiox/mcp/definitions/change-events'
import { Failure } from '@scorpiox/mcp/errors'
import type { CallLog } from '@scorpiox/mcp/server/call-log'
import type { UserPresence } from '@scorpiox/server/features/questions/index'
import type { DeferredSecrets } from '@scorpiox/server/features/secrets/index'
import { type Job, JOBS_URI, type JobService } from '@scorpiox/server/features/shell/index'
import type { LazyStateDatabase } from '@scorpiox/server/lazy-state'
import { CONSOLE_SESSION } from '@scorpiox/server/sessions/console-session'
import type { StateDatabase } from '@scorpiox/server/state'
import { createThrottle, type Throttle } from '@scorpiox/server/async/concurrency'
import type { CallsOfUser, FeedCalls } from './feed-calls.js'
import { createFeedJobs, type FeedJobs } from './feed-jobs.js'
import { createFeedTerminals, type FeedTerminals } from './feed-terminals.js'
import { type OutputChunk, readOutputChunk } from './output-chunk.js'
import type { JobUsageSampler } from './job-usage-sampler.js'
import type { FeedUpdate } from './socket-messages.js'
import type { ServerReport } from './view.js'

const CALLS_EVERY_MS = 200
const JOBS_EVERY_MS = 500
const DATABASE_CHANGE_EVERY_MS = 25
/** Tool states may change with any call. */
const SERVER_EVERY_MS = 2000

export interface ServerFeed extends UserPresence {
  readonly id: string
  /** Sends the current state to a console of this user, then changes. */
  subscribe(user: string, send: (update: FeedUpdate) => void): FeedSubscription
  close(): Promise<void>
}

/** A feed as used by a console, in this process or over its socket. */
export interface FeedSubscription {
  /** Whether a user is watching. */
  setWatching(isWatching: boolean): void
  /** Hands the answer to the program that asks; null: the user refuses. */
  answerSecret(question: string, value: string | null): Promise<void>
  /** At most `maxBytes` of the output, from an offset. */
  readOutput(job: number, from: number, maxBytes: number): Promise<OutputChunk>
  readonly jobs: FeedJobs
  readonly terminals: FeedTerminals
  readonly calls: FeedCalls
  /** Another process has changed the database. */
  databaseChanged(): void
  close(): void
}

export interface ServerFeedDeps {
  /** Called when a console connects and after calls. */
  readonly readServerView: () => Promise<ServerReport>
  readonly id: string
  readonly project: string
  readonly callLog: CallLog
  readonly callsFor: (user: string) => CallsOfUser
  /** Undefined until the first background job. */
  readonly jobs: () => Promise<JobService> | undefined
  /** Rejects if a command that a user starts may not run in this server. */
  readonly authorizeJob: (command: string, user: string) => Promise<void>
  readonly changeEvents: ChangeEvents
  readonly state: LazyStateDatabase
  readonly secrets: Pick<DeferredSecrets, 'listQuestions' | 'answer' | 'onChange'>
}

interface Subscriber {
  readonly user: string
  readonly send: (update: FeedUpdate) => void
  readonly calls: Throttle
  readonly jobs: Throttle
  readonly databaseChange: Throttle
  readonly server: Throttle
  isWatching: boolean
}

export function createServerFeed(deps: ServerFeedDeps): ServerFeed {
  const { id, project, callLog, changeEvents, secrets } = deps
  const subscribers = new Set<Subscriber>()
  const presenceListeners = new Set<() => void>()
  let state: StateDatabase | undefined
  let unsubscribe: (() => void) | undefined
  let sampler: Promise<JobUsageSampler> | undefined
  deps.state.onOpen((opened) => {
    state = opened
    if (unsubscribe) resubscribe()
  })

  const findJobs = (job: number): Promise<JobService> => requireJobs(deps, job)

  function addSubscriber(user: string, send: Subscriber['send']): Subscriber {
    const subscriber: Subscriber = {
      user,
      send,
      isWatching: false,
      calls: createThrottle(CALLS_EVERY_MS, () =>
        send({
          calls: deps.callsFor(user).list(),
        }),
      ),
      jobs: createThrottle(JOBS_EVERY_MS, async () => send({ jobs: await listJobViews(user) })),
      databaseChange: createThrottle(DATABASE_CHANGE_EVERY_MS, () => send({ databaseChanged: true })),
      server: createThrottle(SERVER_EVERY_MS, createServerSender(send)),
    }
    subscribers.add(subscriber)
    if (!unsubscribe) resubscribe()
    subscriber.server.request()
    subscriber.calls.request()
    subscriber.jobs.request()
    sendSecrets(subscriber)
    return subscriber
  }

  function sendSecrets({ user, send }: Subscriber): void {
    send({ secrets: secrets.listQuestions(user).map((question) => Object.assign({ server: id }, question)) })
  }

  /** Sends the server only if it has changed. */
  function createServerSender(send: Subscriber['send']): () => Promise<void> {
    let last = ''
    return async () => {
      const server = await deps.readServerView()
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
      const { readJobViews } = await import('./job-views.js')
      const usage = await openSampler()
      const views = await readJobViews(jobs, toCaller(user), { server: id, project, usage })
      usage.request()
      return views
    } catch {
      return []
    }
  }

  function openSampler(): Promise<JobUsageSampler> {
    return (sampler ??= import('./job-usage-sampler.js').then(({ createJobUsageSampler }) =>
      createJobUsageSampler({
        listWatched: listWatchedJobs,
        onMeasured: () =>
          forEachSubscriber(undefined, (subscriber) => subscriber.isWatching && subscriber.jobs.request()),
      }),
    ))
  }

  async function listWatchedJobs(): Promise<readonly Job[]> {
    const users = new Set([...subscribers].filter(({ isWatching }) => isWatching).map(({ user }) => user))
    const jobs = users.size === 0 ? undefined : await deps.jobs()
    const lists = await Promise.all(Array.from(users, async (user) => (await jobs?.list(toCaller(user))) ?? []))
    return lists.flat().filter(({ isRunning }) => isRunning)
  }

  function forEachSubscriber(user: string | undefined, work: (subscriber: Subscriber) => void): void {
    for (const subscriber of subscribers) if (user === undefined || subscriber.user === user) work(subscriber)
  }

  function resubscribe(): void {
    unsubscribe?.()
    const unsubscribers = [
      callLog.subscribe(({ kind, caller }) => {
        if (kind === 'disconnect') return
        forEachSubscriber(caller.user, (subscriber) => subscriber.calls.request())
        // The state of a search engine concerns all users.
        forEachSubscriber(undefined, (subscriber) => subscriber.server.request())
      }),
      changeEvents.subscribe((event) => {
        if (event.kind !== 'resource' || !event.uri.startsWith(JOBS_URI)) return
        forEachSubscriber(event.user, (subscriber) => subscriber.jobs.request())
      }),
      secrets.onChange((user) => forEachSubscriber(user, sendSecrets)),
      state?.onChange((scope) => forEachSubscriber(scope.user, (subscriber) => subscriber.databaseChange.request())),
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
    subscribe(user, send) {
      const subscriber = addSubscriber(user, send)
      return {
        setWatching(isWatching) {
          if (subscriber.isWatching === isWatching || !subscribers.has(subscriber)) return
          subscriber.isWatching = isWatching
          if (isWatching) subscriber.jobs.request()
          notifyPresence()
        },
        answerSecret: async (question, value) => secrets.answer(user, question, value ?? undefined),
        async readOutput(job, from, maxBytes) {
          const found = await (await requireJobs(deps, job)).find(job, toCaller(user))
          return readOutputChunk(found, from, maxBytes)
        },
        calls: deps.callsFor(user),
        jobs: createFeedJobs({ jobs: findJobs, caller: toCaller(user), authorize: deps.authorizeJob }),
        terminals: createFeedTerminals(findJobs, toCaller(user)),
        databaseChanged: () => void state?.pollNow(),
        close: () => removeSubscriber(subscriber),
      }
    },
    isPresent: (user) => [...subscribers].some((subscriber) => subscriber.isWatching && subscriber.user === user),
    onChange(listener) {
      presenceListeners.add(listener)
      return () => void presenceListeners.delete(listener)
    },
    connectsUntil: 0,
    async close() {
      for (const subscriber of subscribers) removeSubscriber(subscriber)
      ;(await sampler)?.stop()
    },
  }
}

function toCaller(user: string): Caller {
  return { user, session: CONSOLE_SESSION }
}

async function requireJobs({ jobs }: ServerFeedDeps, id: number): Promise<JobService> {
  const opened = await jobs()
  if (opened) return opened
  throw new Failure(`There is no job ${id} in this server.`)
}
