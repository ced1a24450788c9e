// Tasks and steps of a user in a project. Each operation is one transaction, so concurrent agents neither lose nor
// duplicate changes; a result describes the state in that transaction. Used by the tool TaskManager and its resource.
// openTaskService is called by services.ts of the app. Reads and writes the database, and publishes its changes.

import type { ChangeEvents } from '@scorpiox/mcp/definitions/change-events'
import { Failure } from '@scorpiox/mcp/errors'
import type { Config } from '../../config/load-config.js'
import { findProjectRoot } from '../../config/paths.js'
import { editTask, type TaskEdit } from './edit-task.js'
import type { LazyDatabase, Scope, ScopedDatabase } from '../../storage/scoped-database.js'
import {
  alreadyComplete,
  ambiguousQuery,
  noCurrentTask,
  noStep,
  noTask,
  stepOfOtherTask,
  taskIsComplete,
} from './task-failures.js'
import { TASKS_URI } from './task-manager-tool.js'
import type { TaskCounts } from './task-counts.js'
import { parseTaskQuery } from './task-query.js'
import type { FoundTasks, StepRow, TaskFilter, TaskRow, TaskTable, TaskTables } from './task-table.js'
import { MAX_NAME, newSteps, parseText } from './task-texts.js'

/** More than fit into a result. */
const MAX_LISTED = 100
const MAX_LISTED_WITH_STEPS = 30
const MAX_STEPS_LISTED = 200
/** Of the tasks that match. */
const MAX_COUNTED = 10_000

export interface TaskService {
  /** Creates a task with these steps and makes it the current one. */
  create(user: string, name: string, steps: readonly string[]): Promise<ChangedTask>
  add(user: string, steps: readonly string[], taskId?: number): Promise<ChangedTask>
  complete(user: string, taskId?: number): Promise<ChangedTask>
  completeStep(user: string, stepId: number, taskId?: number): Promise<ChangedTask>
  switchTo(user: string, wanted: number | string): Promise<ChangedTask>
  /** A change by a person. */
  edit(user: string, edit: TaskEdit): Promise<void>
  /** Newest first, or in the order that a person has set. */
  list(user: string, query: string): Promise<TaskListing>
  /** Open tasks with their open steps, the current task first. */
  pending(user: string, query: string): Promise<TaskListing>
  /** One task with its steps. */
  show(user: string, taskId: number, wanted: TaskStepFilter): Promise<TaskListing>
  /** From now on publishes changes of this user's tasks, including those made by other processes. */
  watch(user: string): Promise<void>
  close(): Promise<void>
}

export interface TaskStepFilter {
  /** Steps with smaller ids are omitted. */
  readonly from?: number | undefined
  readonly onlyOpen: boolean
}

/** The result of a change, and what comes next. */
export interface ChangedTask {
  readonly task: TaskRow
  /** The steps that were added, or the one that was completed. */
  readonly steps: readonly StepRow[]
  /** The first open step of the task. */
  readonly next: StepRow | undefined
  readonly current: number | undefined
  /** Of the whole project. */
  readonly openTasks: number
  readonly openSteps: number
  /** An open task to continue with once this one is complete. */
  readonly nextTask: TaskRow | undefined
}

export interface TaskListing {
  readonly entries: readonly TaskEntry[]
  readonly current: number | undefined
  /** Number of matching tasks; `entries` may hold fewer. */
  readonly found: number
  /** Whether more match than `found` says: counting them all would take the longer the more there are. */
  readonly hasUncounted: boolean
  readonly openTasks: number
  readonly openSteps: number
}

export interface TaskEntry {
  readonly task: TaskRow
  /** None in a list, open steps for `pending`, all steps of a single task. */
  readonly steps: readonly StepRow[]
}

export interface TaskServiceDeps {
  readonly state: ScopedDatabase<TaskTables>
  readonly project: string
  readonly changeEvents: ChangeEvents
}

export function createTaskService({ state, project, changeEvents }: TaskServiceDeps): TaskService {
  const scopeOf = (user: string): Scope => ({ project, user })
  const unsubscribe = state.onChange((scope) => {
    if (scope.project === project) changeEvents.notifyResourceUpdated(TASKS_URI, scope.user)
  })
  const write = (user: string, work: (tasks: TaskTable) => Promise<ChangedTask>): Promise<ChangedTask> =>
    state.write(scopeOf(user), ({ tasks }) => work(tasks))
  const read = (user: string, work: (rows: TaskTables) => Promise<TaskListing>): Promise<TaskListing> =>
    state.read(scopeOf(user), work)

  return {
    create(user, input, inputSteps) {
      const name = parseText(input, 'name of the task', MAX_NAME)
      const steps = newSteps(inputSteps)
      return write(user, async (tasks) => {
        const task = await tasks.insert(name, Date.now())
        const added = steps.length === 0 ? [] : await tasks.insertSteps(task.id, steps, Date.now())
        await tasks.setCurrent(task.id)
        return readChange(tasks, task.id, added)
      })
    },
    add(user, input, taskId) {
      const steps = newSteps(input)
      return write(user, async (tasks) => {
        const task = await requireTask(tasks, taskId)
        if (task.completedAt !== null) throw await taskIsComplete(tasks, task)
        return readChange(tasks, task.id, await tasks.insertSteps(task.id, steps, Date.now()))
      })
    },
    complete(user, taskId) {
      return write(user, async (tasks) => {
        const task = await requireTask(tasks, taskId)
        if (task.completedAt !== null) throw await alreadyComplete(tasks, task)
        await tasks.complete(task.id, Date.now())
        return readChange(tasks, task.id)
      })
    },
    completeStep(user, stepId, taskId) {
      return write(user, async (tasks) => {
        const step = await tasks.findStep(stepId)
        const task = await requireTask(tasks, taskId)
        if (!step) throw await noStep(tasks, stepId, task)
        if (step.taskId !== task.id) throw await stepOfOtherTask(tasks, step, task)
        if (step.completedAt !== null) throw await alreadyComplete(tasks, task, step)
        await tasks.completeStep(stepId, Date.now())
        return readChange(tasks, task.id, [step])
      })
    },
    switchTo(user, wanted) {
      return write(user, async (tasks) => {
        const task = typeof wanted === 'number' ? await requireTask(tasks, wanted) : await findSingleTask(tasks, wanted)
        await tasks.setCurrent(task.id)
        return readChange(tasks, task.id)
      })
    },
    edit: (user, edit) => state.write(scopeOf(user), ({ tasks }) => editTask(tasks, edit, Date.now())),
    list: (user, query) =>
      read(user, async ({ tasks }) => {
        const filter = parseTaskQuery(query)
        const found = await tasks.search(filter, MAX_LISTED, MAX_COUNTED + 1)
        const entries = found.tasks.map((task) => ({ task, steps: [] }))
        return toListing(tasks, filter, entries, found)
      }),
    pending: (user, query) =>
      read(user, async ({ tasks }) => {
        const filter = openTaskFilter(query)
        const found = await tasks.search(filter, MAX_LISTED_WITH_STEPS, MAX_COUNTED + 1)
        const entries: TaskEntry[] = []
        for (const task of await currentFirst(tasks, filter, found.tasks))
          entries.push({ task, steps: await tasks.listSteps(task.id, { state: 'open', limit: MAX_STEPS_LISTED }) })
        return toListing(tasks, filter, entries, found)
      }),
    show: (user, taskId, { from, onlyOpen }) =>
      read(user, async ({ tasks }) => {
        const task = await requireTask(tasks, taskId)
        const { open, openSteps } = await tasks.countAll()
        const which = { from, state: onlyOpen ? 'open' : undefined, limit: MAX_STEPS_LISTED } as const
        const steps = await tasks.listSteps(task.id, which)
        const current = await tasks.findCurrentId()
        return { entries: [{ task, steps }], current, found: 1, hasUncounted: false, openTasks: open, openSteps }
      }),
    watch: (user) => state.read(scopeOf(user), () => Promise.resolve()),
    close: async () => unsubscribe(),
  }
}

/** Returns the task with this id; by default, the current task. */
async function requireTask(tasks: TaskTable, taskId: number | undefined): Promise<TaskRow> {
  const id = taskId ?? (await tasks.findCurrentId())
  if (id === undefined) throw await noCurrentTask(tasks)
  const task = await tasks.find(id)
  if (!task) throw await noTask(tasks, id)
  return task
}

/** Returns the only task that matches: by exact name, else the only open match, else the only match. */
async function findSingleTask(tasks: TaskTable, query: string): Promise<TaskRow> {
  const filter = parseTaskQuery(query)
  const found = await tasks.list(filter, MAX_LISTED)
  const named = found.filter(({ name }) => name.toLowerCase() === query.trim().toLowerCase())
  const open = found.filter(({ completedAt }) => completedAt === null)
  const [task] = [named, open, found].find(({ length }) => length === 1) ?? []
  if (task && query.trim() !== '') return task
  throw await ambiguousQuery(tasks, query, open.length > 0 ? open : found)
}

async function readChange(tasks: TaskTable, id: number, stepsBefore: readonly StepRow[] = []): Promise<ChangedTask> {
  const task = await tasks.find(id)
  if (!task) throw new Error(`task ${id} has vanished`)
  const steps: StepRow[] = []
  for (const before of stepsBefore) steps.push((await tasks.findStep(before.id)) ?? before)
  const [next] = await tasks.listSteps(id, { state: 'open', limit: 1 })
  const { open, openSteps } = await tasks.countAll()
  const current = await tasks.findCurrentId()
  const nextTask = task.completedAt === null ? undefined : await findOpenTask(tasks, current)
  return { task, steps, next, nextTask, current, openTasks: open, openSteps }
}

/** Returns the current task if it is open, else the first open task of the list. */
async function findOpenTask(tasks: TaskTable, current: number | undefined): Promise<TaskRow | undefined> {
  const task = current === undefined ? undefined : await tasks.find(current)
  if (task?.completedAt === null) return task
  const [first] = await tasks.list({ terms: [], state: 'open' }, 1)
  return first
}

function openTaskFilter(query: string): TaskFilter {
  const filter = parseTaskQuery(query)
  if (filter.state === 'done') throw new Failure('pending lists open tasks only: use list with is:done.')
  return { ...filter, state: 'open' }
}

/** On the first page the current task comes first if it matches. */
async function currentFirst(
  tasks: TaskTable,
  filter: TaskFilter,
  newest: readonly TaskRow[],
): Promise<readonly TaskRow[]> {
  const current = await tasks.findCurrentId()
  if (current === undefined || filter.before !== undefined) return newest
  const [found] = await tasks.list({ ...filter, only: current }, 1)
  return found ? [found, ...newest.filter(({ id }) => id !== current)] : newest
}

async function toListing(
  tasks: TaskTable,
  filter: TaskFilter,
  entries: readonly TaskEntry[],
  { found }: FoundTasks,
): Promise<TaskListing> {
  const all = await tasks.countAll()
  const known = found > MAX_COUNTED ? knownCount(filter, all) : found
  return {
    entries,
    current: await tasks.findCurrentId(),
    found: known ?? MAX_COUNTED,
    hasUncounted: known === undefined,
    openTasks: all.open,
    openSteps: all.openSteps,
  }
}

/** The number of tasks that match, if it is a number that is kept. */
function knownCount({ terms, state, before, except }: TaskFilter, all: TaskCounts): number | undefined {
  if (terms.length > 0 || [before, except].some((bound) => bound !== undefined)) return undefined
  if (state === undefined) return all.tasks
  return state === 'open' ? all.open : all.tasks - all.open
}

/** Opens the task service of the current project. */
export async function openTaskService(
  { cwd }: Config,
  changeEvents: ChangeEvents,
  state: LazyDatabase<TaskTables>,
): Promise<TaskService> {
  const tasks = createTaskService({ state: await state.open(), changeEvents, project: findProjectRoot(cwd) })
  return {
    ...tasks,
    async close() {
      await tasks.close()
      await state.close()
    },
  }
}
