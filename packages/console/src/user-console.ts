// The console of one user: everything the user can see and do, across all servers of this machine. Rejected actions
// throw a Failure. Data sources (server feeds, database) are connected only while it is watched or acted on; parts of
// the view are sent whole when they change, at most ten times a second. Used by the page over HTTP and by the inbox.
// Sets timers.

import * as timers from 'node:timers/promises'

import { Failure } from '@scorpiox/mcp/errors'
import type { AnswerChannel, QuestionReply } from '@scorpiox/server/calls/question-form'
import { cancelCallback } from '@scorpiox/server/features/callbacks/lazy'
import { decidePlanApproval, readOpenPlanText, readPlanApproval } from '@scorpiox/server/features/plans/lazy'
import { answerQuestion } from '@scorpiox/server/features/questions/lazy'
import type { TerminalChunk, TerminalSize } from '@scorpiox/server/features/shell/index'
import type { LazyStateDatabase } from '@scorpiox/server/lazy-state'
import type { StateTables } from '@scorpiox/server/state'
import { createThrottle } from '@scorpiox/server/util/concurrency'
import { type DatabaseWatch, readOlderTasks, readTaskSteps, watchDatabase } from './database-view.js'
import { type ConnectedFeed, type FeedConnections, openFeedConnections } from './feed-connections.js'
import type { FeedTerminals } from './feed-terminals.js'
import type { OutputChunk } from './output-chunk.js'
import type { ServerFeed } from './server-feed.js'
import type {
  ApprovalDecision,
  ApprovalDetails,
  ConsoleChange,
  ConsolePart,
  ConsoleView,
  StepView,
  TaskView,
} from './view.js'

export interface UserConsole {
  /** Sends the whole view, then changes. The user counts as present until the returned function is called. */
  watch(show: (change: ConsoleChange) => void): () => void
  /** One reply for each question of the form. */
  answer(question: ProjectItemRef, replies: readonly QuestionReply[], surface: AnswerChannel): Promise<void>
  /** The plan that an approval is requested for. */
  readApproval(approval: ProjectItemRef): Promise<ApprovalDetails>
  decide(approval: ProjectItemRef, decision: ApprovalDecision, surface: AnswerChannel): Promise<void>
  kill(job: ServerJobRef): Promise<void>
  /** Hands the answer to the program that asks; null: the user refuses. */
  answerSecret(question: { readonly server: string; readonly id: string }, value: string | null): Promise<void>
  /** Output bytes of a job, from an offset. */
  readOutput(job: ServerJobRef, from: number, maxBytes: number): Promise<OutputChunk>
  /** The terminal of a job. */
  terminalOf(job: ServerJobRef): JobTerminal
  cancelCallback(callback: { readonly project: string; readonly session: string; readonly slot: number }): Promise<void>
  /** Marks a message as read by the user, so that it is not delivered to the model. */
  dismiss(message: ProjectItemRef): Promise<void>
  /** Full text of the open plan of a project; undefined if there is none or nothing was written yet. */
  readPlan(project: string): Promise<string | undefined>
  /** Open tasks with smaller ids, newest first, without the current task. */
  olderTasks(project: string, before: number): Promise<readonly TaskView[]>
  /** Steps of a task from an id on. */
  taskSteps(project: string, task: number, from: number): Promise<readonly StepView[]>
  close(): Promise<void>
}

export interface JobTerminal {
  /** The next output, after a wait if there is none; `from` undefined: from where a new display begins. */
  read(from: number | undefined): Promise<TerminalChunk>
  type(text: string): Promise<void>
  /** `isLeaving`: the person does not look any more; a line that is not ended keeps the terminal. */
  giveBack(isLeaving: boolean): Promise<void>
  resize(size: TerminalSize): Promise<void>
}

export interface ProjectItemRef {
  readonly project: string
  readonly id: number
}

export interface ServerJobRef {
  readonly server: string
  readonly id: number
}

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

/** Combines the server feeds and the database view into one view, each part sorted for display. */
function composeConsoleView(feeds: FeedConnections, database: DatabaseWatch): ConsoleView {
  const latest = feeds.all().map((feed) => feed.latest)
  const views = database.snapshots()
  return {
    servers: latest.flatMap(({ server }) => server ?? []).toSorted((a, b) => a.startedAt - b.startedAt),
    secrets: latest.flatMap(({ secrets = [] }) => secrets).toSorted((a, b) => a.askedAt - b.askedAt),
    approvals: views.flatMap(({ approvals }) => approvals).toSorted((a, b) => a.requestedAt - b.requestedAt),
    questions: views.flatMap(({ questions }) => questions).toSorted((a, b) => a.askedAt - b.askedAt),
    messages: views.flatMap(({ messages }) => messages).toSorted((a, b) => a.createdAt - b.createdAt),
    callbacks: views
      .flatMap(({ callbacks }) => callbacks)
      .toSorted((a, b) => (a.fireAt ?? Infinity) - (b.fireAt ?? Infinity) || a.slot - b.slot),
    // Running jobs first, then the newest.
    jobs: latest
      .flatMap(({ jobs = [] }) => jobs)
      .toSorted((a, b) => Number(b.isRunning) - Number(a.isRunning) || b.startedAt - a.startedAt)
      .slice(0, MAX_JOBS),
    projects: views
      .map(({ project }) => project)
      .filter(({ plan, openTasks }) => plan !== null || openTasks > 0)
      .toSorted((a, b) => (a.project < b.project ? -1 : 1)),
    calls: latest
      .flatMap(({ calls = [] }) => calls)
      .toSorted((a, b) => b.startedAt - a.startedAt)
      .slice(0, MAX_CALLS),
    problems: [database.problem, feeds.problem].filter((problem) => problem !== undefined),
  }
}

const SEND_INTERVAL_MS = 100
/** Servers that do not answer in time are added when they do. */
const FIRST_VIEW_TIMEOUT_MS = 1500
/** Connections stay open for the next request. */
const KEEP_OPEN_MS = 2000

export interface UserConsoleDeps {
  readonly user: string
  /** The feed of this process, if it is a server. */
  readonly localFeed: ServerFeed | undefined
  /** Directory of the sockets of other servers; undefined: this user may not see them. */
  readonly socketDirectory: string | undefined
  readonly state: LazyStateDatabase
  readonly project: string
  /** Called when all resources were released. */
  readonly onIdle?: () => void
}

interface Sources {
  readonly feeds: FeedConnections
  readonly database: DatabaseWatch
}

interface ViewSubscriber {
  readonly show: (change: ConsoleChange) => void
  /** The parts sent last, as JSON; undefined before the first view. */
  sent: ReadonlyMap<ConsolePart, string> | undefined
  isReady: boolean
}

export function createUserConsole(settings: UserConsoleDeps): UserConsole {
  const { user, localFeed, socketDirectory, state, project, onIdle } = settings
  const subscribers = new Set<ViewSubscriber>()
  let sources: Sources | undefined
  let users = 0
  let isClosed = false
  const sending = createThrottle(SEND_INTERVAL_MS, sendChanges)

  function connect(): Sources {
    const feeds = openFeedConnections({
      user,
      localFeed,
      socketDirectory,
      onUpdate(changed) {
        if (changed.databaseChanged) sources?.database.databaseChanged()
        if (changed.server) sources?.database.refresh()
        sending.request()
      },
    })
    const projects = (): readonly string[] => [
      project,
      ...feeds.all().flatMap(({ latest }) => latest.server?.project ?? []),
    ]
    const database = watchDatabase({ user, state, projects, onChange: () => sending.request() })
    return { feeds, database }
  }

  function acquire(): Sources {
    if (isClosed) throw new Failure('The server is stopping.')
    users++
    return (sources ??= connect())
  }

  function release(): void {
    users--
    if (users > 0 || !sources) return
    sources.feeds.close()
    sources.database.close()
    sources = undefined
    onIdle?.()
  }

  function sendChanges(): void {
    if (!sources) return
    const ready = [...subscribers].filter(({ isReady }) => isReady)
    if (ready.length === 0) return
    const view = composeConsoleView(sources.feeds, sources.database)
    const texts = new Map(CONSOLE_PARTS.map((part) => [part, JSON.stringify(view[part])]))
    for (const subscriber of ready) {
      const changed = CONSOLE_PARTS.filter((part) => subscriber.sent?.get(part) !== texts.get(part))
      subscriber.sent = texts
      if (changed.length > 0) subscriber.show(Object.fromEntries(changed.map((part) => [part, view[part]])))
    }
  }

  /** Runs `work` after connecting to the feeds, if they are not connected. */
  async function withFeeds<T>(work: (feeds: FeedConnections) => Promise<T>): Promise<T> {
    const { feeds } = acquire()
    try {
      await Promise.race([feeds.ready, timers.setTimeout(FIRST_VIEW_TIMEOUT_MS, undefined, { ref: false })])
      return await work(feeds)
    } finally {
      setTimeout(release, KEEP_OPEN_MS).unref()
    }
  }

  function write<T>(projectPath: string, work: (rows: StateTables) => Promise<T>): Promise<void> {
    return withFeeds(async (feeds) => {
      const opened = await state.open()
      await opened.write({ project: projectPath, user }, work)
      for (const { subscription } of feeds.all()) subscription.databaseChanged()
    })
  }

  async function read<T>(projectPath: string, work: (rows: StateTables) => Promise<T>): Promise<T> {
    const opened = await state.open()
    return opened.read({ project: projectPath, user }, work)
  }

  return {
    watch(show) {
      const { feeds, database } = acquire()
      const subscriber: ViewSubscriber = { show, sent: undefined, isReady: false }
      subscribers.add(subscriber)
      feeds.setWatching(true)
      const first = Promise.all([feeds.ready, database.ready])
      void Promise.race([first, timers.setTimeout(FIRST_VIEW_TIMEOUT_MS, undefined, { ref: false })]).then(() => {
        subscriber.isReady = true
        sending.request()
      })
      return () => {
        if (!subscribers.delete(subscriber)) return
        if (subscribers.size === 0) feeds.setWatching(false)
        release()
      }
    },
    answer: ({ project: projectPath, id }, replies, surface) =>
      write(projectPath, (rows) => answerQuestion(rows, id, replies, surface, Date.now())),
    readApproval: ({ project: projectPath, id }) => read(projectPath, (rows) => readPlanApproval(rows, id)),
    decide: ({ project: projectPath, id }, decision, channel) =>
      write(projectPath, (rows) => decidePlanApproval(rows, projectPath, { id, channel, ...decision })),
    kill: ({ server, id }) => withFeeds((feeds) => requireFeed(feeds, server).subscription.kill(id)),
    answerSecret: ({ server, id }, value) =>
      withFeeds((feeds) => requireFeed(feeds, server).subscription.answerSecret(id, value)),
    readOutput: ({ server, id }, from, maxBytes) =>
      withFeeds((feeds) => requireFeed(feeds, server).subscription.readOutput(id, from, maxBytes)),
    terminalOf({ server, id }) {
      const use = <T>(work: (terminals: FeedTerminals) => Promise<T>): Promise<T> =>
        withFeeds((feeds) => work(requireFeed(feeds, server).subscription.terminals))
      return {
        read: (from) => use((terminals) => terminals.read(id, from)),
        type: (text) => use((terminals) => terminals.type(id, text)),
        giveBack: (isLeaving) => use((terminals) => terminals.giveBack(id, isLeaving)),
        resize: (size) => use((terminals) => terminals.resize(id, size)),
      }
    },
    cancelCallback: ({ project: projectPath, session, slot }) =>
      write(projectPath, (rows) => cancelCallback(rows, session, slot)),
    dismiss: ({ project: projectPath, id }) =>
      write(projectPath, async ({ messages }) => {
        if (await messages.markDelivered(id, { at: Date.now(), via: 'board' })) return
        throw new Failure('The message no longer exists: it was delivered or dismissed.')
      }),
    readPlan: (projectPath) => read(projectPath, (rows) => readOpenPlanText(rows.plans, projectPath)),
    olderTasks: (projectPath, before) => read(projectPath, (rows) => readOlderTasks(rows, before)),
    taskSteps: (projectPath, task, from) => read(projectPath, (rows) => readTaskSteps(rows, task, from)),
    async close() {
      isClosed = true
      subscribers.clear()
      sending.stop()
      sources?.feeds.close()
      sources?.database.close()
      sources = undefined
    },
  }
}

function requireFeed(feeds: FeedConnections, server: string): ConnectedFeed {
  const found = feeds.find(server)
  if (found) return found
  throw new Failure('The server has exited or does not answer.')
}
