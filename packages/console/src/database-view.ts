// The part of the console view that comes from the database, kept current for every project where the user has
// something open. A database error becomes a sentence; the data read last stays until it can be read again. Used by
// user-console.ts. Reads the database only. Sets timers.

import { Failure } from '@scorpiox/mcp/errors'
import type { PlanRow } from '@scorpiox/server/features/plans/index'
import type { LazyStateDatabase } from '@scorpiox/server/lazy-state'
import type { StateDatabase, StateTables } from '@scorpiox/server/state'
import { createDeferred } from '@scorpiox/server/async/timeouts'
import { createThrottle } from '@scorpiox/server/async/concurrency'
import { toTaskViews } from './task-views.js'
import type {
  ApprovalView,
  CallbackView,
  MessageView,
  OpenPlanView,
  ProjectView,
  QuestionView,
  TaskView,
} from './view.js'

const REFRESH_SPACING_MS = 50
/** Finds projects that another process opened without notice. */
const RESCAN_INTERVAL_MS = 2000
const MAX_PROJECTS = 60

export interface DatabaseWatch {
  /** One per project. */
  snapshots(): readonly ProjectSnapshot[]
  readonly problem: string | undefined
  /** Another process reported a change. */
  databaseChanged(): void
  refresh(): void
  readonly ready: Promise<void>
  close(): void
}

export interface DatabaseWatchDeps {
  readonly user: string
  readonly state: LazyStateDatabase
  /** Projects that are always read. */
  readonly projects: () => readonly string[]
  readonly onChange: () => void
}

export function watchDatabase({ user, state: lazyDatabase, projects, onChange }: DatabaseWatchDeps): DatabaseWatch {
  const views = new Map<string, ProjectSnapshot>()
  const changed = new Set<string>()
  const firstRead = createDeferred<void>()
  let problem: string | undefined = 'The database has not been read yet: it does not answer.'
  let state: StateDatabase | undefined
  let unsubscribe: (() => void) | undefined
  let isClosed = false

  async function open(): Promise<StateDatabase> {
    if (state) return state
    state = await lazyDatabase.open()
    unsubscribe = state.onChange((scope) => {
      if (scope.user !== user) return
      changed.add(scope.project)
      refreshing.request()
    })
    if (isClosed) unsubscribe()
    return state
  }

  async function readAll(): Promise<void> {
    const opened = await open()
    const projectNames = new Set([...projects(), ...(await opened.listProjectsWithItems(user))].slice(0, MAX_PROJECTS))
    for (const name of views.keys()) if (!projectNames.has(name)) views.delete(name)
    for (const project of projectNames) {
      if (views.has(project) && !changed.has(project)) continue
      changed.delete(project)
      try {
        views.set(project, await opened.read({ project, user }, (rows) => readProjectSnapshot(project, rows)))
      } catch (error) {
        changed.add(project)
        throw error
      }
    }
  }

  async function refresh(): Promise<void> {
    if (isClosed) return
    try {
      // Changes made while the database was not readable were not reported.
      if (problem !== undefined) for (const project of views.keys()) changed.add(project)
      await readAll()
      problem = undefined
    } catch (error) {
      problem = error instanceof Failure ? error.message : `The database cannot be read: ${String(error)}`
    }
    firstRead.resolve()
    if (!isClosed) onChange()
  }

  const refreshing = createThrottle(REFRESH_SPACING_MS, refresh)
  refreshing.request()
  const timer = setInterval(() => refreshing.request(), RESCAN_INTERVAL_MS).unref()
  return {
    ready: firstRead.promise,
    snapshots: () => [...views.values()],
    get problem() {
      return problem
    },
    refresh: () => refreshing.request(),
    databaseChanged() {
      // The poll finds out which projects to read again; new ones are found by listing them.
      void Promise.resolve(state?.pollNow()).finally(() => refreshing.request())
    },
    close() {
      isClosed = true
      clearInterval(timer)
      refreshing.stop()
      unsubscribe?.()
    },
  }
}

const MAX_QUESTIONS = 50
const MAX_MESSAGES = 50
const MAX_CALLBACKS = 200
const MAX_TASKS = 10

export interface ProjectSnapshot {
  readonly approvals: readonly ApprovalView[]
  readonly questions: readonly QuestionView[]
  readonly messages: readonly MessageView[]
  readonly callbacks: readonly CallbackView[]
  readonly project: ProjectView
}

/**
 * Reads what the console shows of one project from the database: approvals, questions, messages, callbacks, plan and
 * tasks.
 */
async function readProjectSnapshot(project: string, rows: StateTables): Promise<ProjectSnapshot> {
  const [questions, messages, callbacks] = [
    await rows.questions.listOpen(),
    await rows.messages.listPending(),
    await rows.callbacks.list(),
  ]
  const plan = await rows.plans.findOpen()
  const counts = await rows.tasks.countAll()
  return {
    approvals: plan ? await readApprovals(project, rows, plan) : [],
    questions: questions.slice(0, MAX_QUESTIONS).map(({ id, session, askedAt, waiting, questions: asked }) => {
      return { project, session, id, askedAt, waiting, questions: asked }
    }),
    messages: messages
      .slice(0, MAX_MESSAGES)
      .map(({ id, session, kind, text, createdAt }) => ({ project, session, id, kind, text, createdAt })),
    callbacks: callbacks.slice(0, MAX_CALLBACKS).map((row) => ({
      project,
      session: row.session,
      slot: row.slot,
      message: row.message,
      setAt: row.setAt,
      fireAt: row.fireAt,
      everyMs: row.delayMs,
      repeatsLeft: row.repeatsLeft,
      job: row.job,
      pattern: row.pattern,
    })),
    project: {
      project,
      plan: plan ? await toOpenPlanView(rows, plan) : null,
      tasks: await readTasks(rows),
      openTasks: counts.open,
      doneTasks: counts.tasks - counts.open,
      taskRevision: await rows.tasks.findRevision(),
    },
  }
}

async function toOpenPlanView({ plans }: StateTables, { id, goal, startedAt }: PlanRow): Promise<OpenPlanView> {
  return { goal, startedAt, version: await plans.findLastVersionNumber(id) }
}

async function readApprovals(
  project: string,
  { approvals }: StateTables,
  { id: planId, goal }: PlanRow,
): Promise<readonly ApprovalView[]> {
  const row = await approvals.findOpen()
  if (row?.planId !== planId) return []
  const { id, session, action, requestedAt, waiting } = row
  return [{ project, session, id, action, goal, requestedAt, waiting }]
}

async function readTasks({ tasks }: StateTables): Promise<readonly TaskView[]> {
  const current = await tasks.findCurrentId()
  const first = current === undefined ? undefined : await tasks.find(current)
  const currentTask = first?.completedAt === null ? [first] : []
  const others = await tasks.list({ terms: [], state: 'open', except: current }, MAX_TASKS - currentTask.length)
  return toTaskViews(tasks, [...currentTask, ...others], current)
}
