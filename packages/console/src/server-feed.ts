// What this server publishes to consoles, and the actions it accepts: calls, jobs and tool states, each to the user
// they belong to. It is active only while a console is connected, and opens no services. Created by
// open-server-feed.ts. Reads the output of jobs; kills jobs on request.

import type { ChangeEvents } from '@scorpiox/mcp/definitions/change-events'
import { Failure } from '@scorpiox/mcp/errors'
import type { CallLog, CallSummary } from '@scorpiox/mcp/server/call-log'
import type { UserPresence } from '@scorpiox/server/features/questions/index'
import type { DeferredSecrets } from '@scorpiox/server/features/secrets/index'
import { JOBS_URI, type JobService } from '@scorpiox/server/features/shell/index'
import type { LazyStateDatabase } from '@scorpiox/server/lazy-state'
import type { StateDatabase } from '@scorpiox/server/state'
import { toSingleLine } from '@scorpiox/server/text/format'
import { createThrottle, type Throttle } from '@scorpiox/server/util/concurrency'
import { createFeedTerminals, type FeedTerminals } from './feed-terminals.js'
import { type OutputChunk, readOutputChunk } from './output-chunk.js'
import type { FeedUpdate } from './socket-messages.js'
import type { ServerView } from './view.js'

const CALLS_EVERY_MS = 200
const JOBS_EVERY_MS = 500
const DATABASE_CHANGE_EVERY_MS = 25
/** Tool states may change with any call. */
const SERVER_EVERY_MS = 2000

/** Characters of the name of a tool, and of the summary of its input. */
const MAX_CALL_TEXT = 120

/** Has no read positions of its own: reading for the console does not affect what models read. */
const CONSOLE_SESSION = 'board'

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
  kill(job: number): Promise<void>
  /** Hands the answer to the program that asks; null: the user refuses. */
  answerSecret(question: string, value: string | null): Promise<void>
  /** At most `maxBytes` of the output, from an offset. */
  readOutput(job: number, from: number, maxBytes: number): Promise<OutputChunk>
  readonly terminals: FeedTerminals
  /** Another process has changed the database. */
  databaseChanged(): void
  close(): void
}

export interface ServerFeedDeps {
  /** Called when a console connects and after calls. */
  readonly readServerView: () => Promise<ServerView>
  readonly id: string
  readonly project: string
  readonly callLog: CallLog
  /** Undefined until the first background job. */
  readonly jobs: () => Promise<JobService> | undefined
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
  deps.state.onOpen((opened) => {
    state = opened
    if (unsubscribe) resubscribe()
  })

  function addSubscriber(user: string, send: Subscriber['send']): Subscriber {
    const subscriber: Subscriber = {
      user,
      send,
      isWatching: false,
      calls: createThrottle(CALLS_EVERY_MS, () =>
        send({
          calls: callLog.forUser(user).map((call) => Object.assign({ server: id, project }, toSingleLines(call))),
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
      return await readJobViews(jobs, { user, session: CONSOLE_SESSION }, { server: id, project })
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
          notifyPresence()
        },
        async kill(job) {
          await (await requireJobs(deps, job)).kill(job, { user, session: CONSOLE_SESSION })
        },
        answerSecret: async (question, value) => secrets.answer(user, question, value ?? undefined),
        async readOutput(job, from, maxBytes) {
          const found = await (await requireJobs(deps, job)).find(job, { user, session: CONSOLE_SESSION })
          return readOutputChunk(found, from, maxBytes)
        },
        terminals: createFeedTerminals((job) => requireJobs(deps, job), { user, session: CONSOLE_SESSION }),
        databaseChanged: () => void state?.pollNow(),
        close: () => removeSubscriber(subscriber),
      }
    },
    isPresent: (user) => [...subscribers].some((subscriber) => subscriber.isWatching && subscriber.user === user),
    onChange(listener) {
      presenceListeners.add(listener)
      return () => void presenceListeners.delete(listener)
    },
    async close() {
      for (const subscriber of subscribers) removeSubscriber(subscriber)
    },
  }
}

async function requireJobs({ jobs }: ServerFeedDeps, id: number): Promise<JobService> {
  const opened = await jobs()
  if (opened) return opened
  throw new Failure(`There is no background task ${id} in this server.`)
}

function toSingleLines({ tool, about, ...call }: CallSummary): CallSummary {
  return { tool: toSingleLine(tool, MAX_CALL_TEXT), about: toSingleLine(about, MAX_CALL_TEXT), ...call }
}
