// Combines the sources of a console into one view and sends it to its subscribers: first whole, then each part that has
// changed, at most ten times a second; what the user is asked is sent sooner. Used by user-console.ts. Sets timers.

import { createThrottle } from '@scorpiox/server/async/concurrency'
import type { DatabaseWatch } from './database-view.js'
import type { FeedConnections } from './feed-connections.js'
import { nameClients } from './name-clients.js'
import type { SessionClients } from './session-clients.js'
import type { CallView, ConsoleChange, ConsolePart, ConsoleView } from './view.js'

const MAX_CALLS = 100
const MAX_JOBS = 200

const CONSOLE_PARTS = [
  'servers',
  'secrets',
  'approvals',
  'questions',
  'messages',
  'callbacks',
  'jobs',
  'projects',
  'calls',
  'problems',
] as const satisfies readonly (keyof ConsoleView)[]

/** What a model may wait for. */
const ASKED_PARTS: readonly ConsolePart[] = ['secrets', 'approvals', 'questions']

const SEND_INTERVAL_MS = 100
const SEND_ASKED_INTERVAL_MS = 10

export interface ViewSources {
  readonly feeds: FeedConnections
  readonly database: DatabaseWatch
  readonly clients: SessionClients
}

export interface ViewSender {
  subscribe(show: (change: ConsoleChange) => void): ViewSubscription
  hasSubscribers(): boolean
  /** Something may have changed. */
  readonly request: () => void
  /** What the user is asked may have changed. */
  readonly requestSoon: () => void
  close(): void
}

export interface ViewSubscription {
  /** Sends the whole view; nothing is sent before. */
  readonly start: () => void
  /** False if it had ended. */
  readonly end: () => boolean
}

interface Subscriber {
  readonly show: (change: ConsoleChange) => void
  /** The parts sent last, as JSON; undefined before the first view. */
  sent: ReadonlyMap<ConsolePart, string> | undefined
  isStarted: boolean
}

/** `sources`: undefined while they are not connected. */
export function createViewSender(sources: () => ViewSources | undefined): ViewSender {
  const subscribers = new Set<Subscriber>()
  const sendingAll = createThrottle(SEND_INTERVAL_MS, () => sendChanges(CONSOLE_PARTS))
  const sendingAsked = createThrottle(SEND_ASKED_INTERVAL_MS, () => sendChanges(ASKED_PARTS))

  function sendChanges(parts: readonly ConsolePart[]): void {
    const connected = sources()
    const started = [...subscribers].filter(({ isStarted }) => isStarted)
    if (!connected || started.length === 0) return
    const view = composeConsoleView(connected)
    const texts = new Map(parts.map((part) => [part, JSON.stringify(view[part])]))
    for (const subscriber of started) {
      // The first message has all parts.
      if (subscriber.sent === undefined && parts !== CONSOLE_PARTS) continue
      const changed = parts.filter((part) => subscriber.sent?.get(part) !== texts.get(part))
      subscriber.sent = new Map([...(subscriber.sent ?? []), ...texts])
      if (changed.length > 0) subscriber.show(Object.fromEntries(changed.map((part) => [part, view[part]])))
    }
  }

  return {
    subscribe(show) {
      const subscriber: Subscriber = { show, sent: undefined, isStarted: false }
      subscribers.add(subscriber)
      return {
        start() {
          subscriber.isStarted = true
          sendingAll.request()
        },
        end: () => subscribers.delete(subscriber),
      }
    },
    hasSubscribers: () => subscribers.size > 0,
    request: () => sendingAll.request(),
    requestSoon() {
      sendingAsked.request()
      sendingAll.request()
    },
    close() {
      subscribers.clear()
      sendingAll.stop()
      sendingAsked.stop()
    },
  }
}

/** Combines the sources into one view, each part sorted for display. */
export function composeConsoleView(sources: ViewSources): ConsoleView {
  return nameClients(combineSources(sources), sources.clients)
}

function combineSources({ feeds, database }: Omit<ViewSources, 'clients'>): ConsoleView {
  const latest = feeds.all().map((feed) => feed.latest)
  const liveJobs = latest.flatMap(({ jobs = [] }) => jobs)
  const gone = feeds.gone.list(liveJobs)
  const views = database.snapshots()
  return {
    servers: [
      ...latest.flatMap(({ server }) => (server ? { ...server, isGone: false, goneAt: null } : [])),
      ...gone.map(({ server }) => server),
    ].toSorted((a, b) => Number(a.isGone) - Number(b.isGone) || a.startedAt - b.startedAt),
    secrets: latest.flatMap(({ secrets = [] }) => secrets).toSorted((a, b) => a.askedAt - b.askedAt),
    approvals: views.flatMap(({ approvals }) => approvals).toSorted((a, b) => a.requestedAt - b.requestedAt),
    questions: views.flatMap(({ questions }) => questions).toSorted((a, b) => a.askedAt - b.askedAt),
    messages: views.flatMap(({ messages }) => messages).toSorted((a, b) => a.createdAt - b.createdAt),
    callbacks: views
      .flatMap(({ callbacks }) => callbacks)
      .toSorted((a, b) => (a.fireAt ?? Infinity) - (b.fireAt ?? Infinity) || a.slot - b.slot),
    // Running jobs first, then the newest.
    jobs: [...liveJobs, ...gone.flatMap(({ jobs }) => jobs)]
      .toSorted((a, b) => Number(b.isRunning) - Number(a.isRunning) || b.startedAt - a.startedAt)
      .slice(0, MAX_JOBS),
    projects: views
      .map(({ project }) => project)
      .filter(({ plan, openTasks, doneTasks }) => plan !== null || openTasks + doneTasks > 0)
      .toSorted((a, b) => (a.project < b.project ? -1 : 1)),
    calls: selectCalls([...latest.flatMap(({ calls = [] }) => calls), ...gone.flatMap(({ calls }) => calls)]),
    problems: [database.problem, feeds.problem].filter((problem) => problem !== undefined),
  }
}

/** The newest, among them all that run: whether one has ended is seen here only. */
function selectCalls(calls: readonly CallView[]): readonly CallView[] {
  const newestFirst = calls.toSorted((a, b) => b.startedAt - a.startedAt)
  const running = newestFirst.filter(({ outcome }) => outcome === 'running')
  const selected = new Set(
    running.concat(newestFirst.filter(({ outcome }) => outcome !== 'running')).slice(0, MAX_CALLS),
  )
  return newestFirst.filter((call) => selected.has(call))
}
