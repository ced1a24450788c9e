// The console of one user: everything the user can see and do, across all servers of this machine. Rejected actions
// throw a Failure. Data sources (server feeds, database) are connected only while it is watched or acted on. Used by the
// page over HTTP and by the inbox. Sets timers.

import * as timers from 'node:timers/promises'

import { Failure } from '@scorpiox/mcp/errors'
import type { ApprovalChannel, QuestionReply } from '@scorpiox/server/calls/question-form'
import { cancelCallback } from '@scorpiox/server/features/callbacks/lazy'
import type { CallHistory } from '@scorpiox/server/features/history/index'
import {
  decidePlanApproval,
  readOpenPlan,
  readOpenPlanText,
  readPlanApproval,
} from '@scorpiox/server/features/plans/lazy'
import { answerQuestion } from '@scorpiox/server/features/questions/lazy'
import type { TerminalChunk, TerminalSize } from '@scorpiox/server/features/shell/index'
import { editTask } from '@scorpiox/server/features/tasks/lazy'
import type { LazyStateDatabase } from '@scorpiox/server/lazy-state'
import type { StateTables } from '@scorpiox/server/state'
import { readTimeline } from './read-timeline.js'
import { findRerunProblem, listCalls, readCall, serverOfCall } from './call-list.js'
import { watchDatabase } from './database-view.js'
import { type ConnectedFeed, type FeedConnections, openFeedConnections } from './feed-connections.js'
import type { FeedTerminals } from './feed-terminals.js'
import type { OutputChunk } from './output-chunk.js'
import type { ServerFeed } from './server-feed.js'
import { createSessionClients } from './session-clients.js'
import { readTask, readTaskPage, readTaskSteps } from './task-views.js'
import type {
  ApprovalDecision,
  ApprovalDetails,
  CallDetails,
  CallPage,
  CallQuery,
  CallView,
  SessionTimeline,
  ConsoleChange,
  ConsoleView,
  JobDetails,
  PlanDetails,
  StepView,
  TaskChange,
  TaskPage,
  TaskQuery,
  TaskView,
} from './view.js'
import { composeConsoleView, createViewSender, type ViewSources } from './view-sender.js'
import { waitForFeeds } from './wait-for-feeds.js'

export interface UserConsole {
  /** Sends the whole view, then changes. The user counts as present until the returned function is called. */
  watch(show: (change: ConsoleChange) => void): () => void
  /** The whole view when all servers have sent their state. Its problems name those that have not within the limit. */
  readView(limitMs: number): Promise<ConsoleView>
  /** One reply for each question of the form. */
  answer(question: ProjectItemRef, replies: readonly QuestionReply[], surface: ApprovalChannel): Promise<void>
  /** The plan that an approval is requested for. */
  readApproval(approval: ProjectItemRef): Promise<ApprovalDetails>
  decide(approval: ProjectItemRef, decision: ApprovalDecision, surface: ApprovalChannel): Promise<void>
  kill(job: ServerJobRef): Promise<void>
  /** Starts the command of a job again, after killing the job if it runs. Resolves to the new job. */
  restartJob(job: ServerJobRef): Promise<ServerJobRef>
  readJob(job: ServerJobRef): Promise<JobDetails>
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
  /** The open plan and what changed since the last draft; undefined if no plan is open. */
  readPlanDetails(project: string): Promise<PlanDetails | undefined>
  /** Calls of all projects, newest first, in pages of 100. */
  listCalls(query: CallQuery): Promise<CallPage>
  readCall(call: CallRef): Promise<CallDetails>
  /** Runs the call again, as the user, in the server that made it. The new call may still run when it is returned. */
  rerunCall(call: CallRef): Promise<CallDetails>
  /** The newest calls of a session, with its jobs, questions and callbacks. */
  readTimeline(session: string): Promise<SessionTimeline>
  listTasks(project: string, query: TaskQuery): Promise<TaskPage>
  /** One task, with its first 500 steps. */
  readTask(task: ProjectItemRef): Promise<TaskView>
  /** Steps of a task from an id on. */
  taskSteps(project: string, task: number, from: number): Promise<readonly StepView[]>
  changeTask(project: string, change: TaskChange): Promise<void>
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

export interface CallRef {
  /** Null: any; the id of a call is unique among all of the user. */
  readonly project: string | null
  readonly id: string
}

export interface ServerJobRef {
  readonly server: string
  readonly id: number
}

/** Servers that do not answer in time are added when they do. */
const FIRST_VIEW_TIMEOUT_MS = 1500
/** For the first read, when it is printed; then the view says that there was none. */
const DATABASE_TIMEOUT_MS = 5000
/** Connections stay open for the next request. */
const KEEP_OPEN_MS = 2000
/** For the clients that only the history names; without it they are not named. */
const CLIENTS_TIMEOUT_MS = 500

export interface UserConsoleDeps {
  readonly user: string
  /** The feed of this process, if it is a server. */
  readonly localFeed: ServerFeed | undefined
  /** Directory of the sockets of other servers; undefined: this user may not see them. */
  readonly socketDirectory: string | undefined
  readonly state: LazyStateDatabase
  readonly history: CallHistory
  readonly project: string
  /** Called when all resources were released. */
  readonly onIdle?: () => void
}

export function createUserConsole(settings: UserConsoleDeps): UserConsole {
  const { user, localFeed, socketDirectory, state, history, project, onIdle } = settings
  let sources: ViewSources | undefined
  let users = 0
  let isClosed = false
  const sender = createViewSender(() => sources)

  function connect(): ViewSources {
    const clients = createSessionClients({
      user,
      history,
      listCalls: () => (sources ? listReportedCalls(sources.feeds) : []),
      onChange: sender.requestSoon,
    })
    const feeds = openFeedConnections({
      user,
      localFeed,
      socketDirectory,
      onUpdate(changed) {
        if (changed.calls) clients.note(changed.calls)
        if (changed.databaseChanged) sources?.database.databaseChanged()
        if (changed.server) sources?.database.refresh()
        if (changed.secrets) sender.requestSoon()
        else sender.request()
      },
    })
    const projects = (): readonly string[] => projectsOf(feeds)
    const database = watchDatabase({ user, state, projects, onChange: sender.requestSoon })
    return { feeds, database, clients }
  }

  /** Projects that are shown even if nothing of the user is stored for them. */
  function projectsOf(feeds: FeedConnections): readonly string[] {
    return [
      project,
      ...feeds.all().flatMap(({ latest }) => latest.server?.project ?? []),
      ...feeds.gone.list([]).map(({ server }) => server.project),
    ]
  }

  /** Only what is shown can get entries, so that requests cannot fill the database with projects that do not exist. */
  async function requireKnownProject(feeds: FeedConnections, projectPath: string): Promise<void> {
    if (projectsOf(feeds).includes(projectPath)) return
    const opened = await state.open()
    if ((await opened.listProjectsWithItems(user)).includes(projectPath)) return
    throw new Failure('No server is running in this project, and it has no tasks. Nothing was changed.')
  }

  function acquire(): ViewSources {
    if (isClosed) throw new Failure('The server is stopping.')
    users++
    return (sources ??= connect())
  }

  function release(): void {
    users--
    if (users > 0 || !sources) return
    closeSources(sources)
    sources = undefined
    onIdle?.()
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
      const subscription = sender.subscribe(show)
      feeds.setWatching(true)
      const first = Promise.all([feeds.ready, database.ready])
      void Promise.race([first, timers.setTimeout(FIRST_VIEW_TIMEOUT_MS, undefined, { ref: false })]).then(
        subscription.start,
      )
      return () => {
        if (!subscription.end()) return
        if (!sender.hasSubscribers()) feeds.setWatching(false)
        release()
      }
    },
    async readView(limitMs) {
      const connected = acquire()
      try {
        const limit = timers.setTimeout(DATABASE_TIMEOUT_MS, undefined, { ref: false })
        const [silent] = await Promise.all([
          waitForFeeds(connected.feeds, limitMs),
          Promise.race([connected.database.ready, limit]),
        ])
        composeConsoleView(connected)
        const clientsLimit = timers.setTimeout(CLIENTS_TIMEOUT_MS, undefined, { ref: false })
        await Promise.race([connected.clients.settled(), clientsLimit])
        const view = composeConsoleView(connected)
        return { ...view, problems: [...view.problems, ...silent] }
      } finally {
        release()
      }
    },
    answer: ({ project: projectPath, id }, replies, surface) =>
      write(projectPath, (rows) => answerQuestion(rows, id, replies, surface, Date.now())),
    readApproval: ({ project: projectPath, id }) => read(projectPath, (rows) => readPlanApproval(rows, id)),
    decide: ({ project: projectPath, id }, decision, channel) =>
      write(projectPath, (rows) => decidePlanApproval(rows, projectPath, { id, channel, ...decision })),
    kill: ({ server, id }) => withFeeds((feeds) => requireFeed(feeds, server).subscription.jobs.kill(id)),
    restartJob: ({ server, id }) =>
      withFeeds(async (feeds) => {
        const { latest, subscription } = requireFeed(feeds, server)
        const isOld = latest.jobs?.some((job) => job.id === id && job.usage === undefined)
        if (isOld) throw new Failure('The server of this job runs an older version, which cannot restart jobs.')
        return { server, id: await subscription.jobs.restart(id) }
      }),
    readJob: ({ server, id }) => withFeeds((feeds) => requireFeed(feeds, server).subscription.jobs.read(id)),
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
    readPlanDetails: (projectPath) => read(projectPath, (rows) => readOpenPlan(rows, projectPath)),
    listCalls: (query) => withFeeds((feeds) => listCalls({ user, history, feeds }, query)),
    readCall: (call) => withFeeds((feeds) => readCall({ user, history, feeds }, call)),
    rerunCall: (call) =>
      withFeeds(async (feeds) => {
        await readCall({ user, history, feeds }, call)
        const rerun = await requireFeed(feeds, serverOfCall(call.id)).subscription.calls.rerun(call.id)
        return { ...rerun, rerunProblem: findRerunProblem(rerun, false) }
      }),
    readTimeline: (session) =>
      withFeeds((feeds) =>
        readTimeline({ user, history, feeds, readRows: (projectPath, work) => read(projectPath, work) }, session),
      ),
    listTasks: (projectPath, query) => read(projectPath, ({ tasks }) => readTaskPage(tasks, query)),
    readTask: ({ project: projectPath, id }) => read(projectPath, ({ tasks }) => readTask(tasks, id)),
    taskSteps: (projectPath, task, from) => read(projectPath, ({ tasks }) => readTaskSteps(tasks, task, from)),
    changeTask: (projectPath, change) =>
      withFeeds(async (feeds) => {
        if (change.kind === 'create') await requireKnownProject(feeds, projectPath)
        await write(projectPath, ({ tasks }) => editTask(tasks, change, Date.now()))
      }),
    async close() {
      isClosed = true
      sender.close()
      if (sources) closeSources(sources)
      sources = undefined
    },
  }
}

function listReportedCalls(feeds: FeedConnections): readonly CallView[] {
  const gone = feeds.gone.list([]).flatMap(({ calls }) => calls)
  return [...feeds.all().flatMap(({ latest }) => latest.calls ?? []), ...gone]
}

function closeSources({ feeds, database, clients }: ViewSources): void {
  feeds.close()
  database.close()
  clients.close()
}

function requireFeed(feeds: FeedConnections, server: string): ConnectedFeed {
  const found = feeds.find(server)
  if (found) return found
  throw new Failure('The server has exited or does not answer.')
}
