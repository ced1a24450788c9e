// SQL access to the tasks and steps of one scope (one user in one project). Ids are unique in a scope and never reused. Rows
// contain what lists and searches need: a task its step counters, both their folded text.
// Created by state.ts for each transaction; used by the services of tasks and plans, the console, and the export and import
// of the state.

import {
  insertRows,
  nullableNumberColumn,
  numberColumn,
  requireRow,
  type Sql,
  type SqlRow,
  textColumn,
} from '../../storage/database.js'
import { allocateIds } from '../../storage/scope-table.js'
import { foldForSearch, toStorableText } from '../../text/normalize-text.js'
import { deleteTask } from './delete-task.js'
import { deleteStep, renameTask, reopenStep, reopenTask, rewriteStep } from './edit-task-rows.js'
import { moveTask } from './move-task.js'
import { addToCounts, countCharacters, readCounts, readTaskRevision, type TaskCounts } from './task-counts.js'
import { enforceTaskLimits } from './task-limits.js'
import { searchTasks } from './task-search.js'
import { addToIndex, type IndexedTexts, MAX_INDEXED_ID } from './text-index.js'

export interface TaskRow {
  readonly id: number
  readonly name: string
  readonly createdAt: number
  /** Milliseconds since 1970, as all times here; null if open. */
  readonly completedAt: number | null
  readonly steps: number
  readonly stepsDone: number
  /** Greater places are listed first. The id, unless a person has moved tasks. */
  readonly place: number
}

export interface StepRow {
  readonly id: number
  readonly taskId: number
  readonly text: string
  readonly createdAt: number
  readonly completedAt: number | null
}

export interface NewStep {
  readonly text: string
  readonly completedAt: number | null
}

export interface TaskFilter {
  /** Each must occur in the task's name or in the text of one of its steps; case and accents are ignored. */
  readonly terms: readonly string[]
  readonly state?: 'open' | 'done' | undefined
  /** Only tasks that are listed after this one. */
  readonly before?: number | undefined
  /** Only tasks with a smaller place. */
  readonly below?: number | undefined
  /** Excludes this task. */
  readonly except?: number | undefined
  /** Excludes all others. */
  readonly only?: number | undefined
}

export interface FoundTasks {
  readonly tasks: readonly TaskRow[]
  readonly found: number
}

export interface StepQuery {
  readonly state?: 'open' | undefined
  /** Only steps with this id or a greater one. */
  readonly from?: number | undefined
  readonly limit?: number | undefined
}

/** Valid during the transaction. */
export interface TaskTables {
  readonly tasks: TaskTable
}

export interface TaskTable {
  /** The id of the current task. */
  findCurrentId(): Promise<number | undefined>
  setCurrent(id: number): Promise<void>
  find(id: number): Promise<TaskRow | undefined>
  findStep(id: number): Promise<StepRow | undefined>
  /** Sorted by id. */
  listSteps(taskId: number, query?: StepQuery): Promise<readonly StepRow[]>
  insert(name: string, at: number): Promise<TaskRow>
  insertSteps(taskId: number, steps: readonly NewStep[], at: number): Promise<readonly StepRow[]>
  complete(id: number, at: number): Promise<void>
  completeStep(id: number, at: number): Promise<void>
  reopen(id: number): Promise<void>
  reopenStep(id: number): Promise<void>
  rename(id: number, name: string): Promise<void>
  rewriteStep(id: number, text: string): Promise<void>
  deleteStep(id: number): Promise<void>
  /** With its steps. It may be the current task, which there is none of then. */
  delete(id: number): Promise<void>
  /** Gives an open task the place of another open one; those in between move by one place. */
  move(id: number, to: number): Promise<void>
  /** Newest first, or in the order that a person has set. */
  list(filter: TaskFilter, limit: number): Promise<readonly TaskRow[]>
  /** Of the whole project. */
  countAll(): Promise<TaskCounts>
  /** Grows with every change of tasks and steps of the project, and of which task is the current one. */
  findRevision(): Promise<number>
  /** As `list`, with the number of tasks that match, at most `most`: counting does not take longer with more of them. */
  search(filter: TaskFilter, limit: number, most: number): Promise<FoundTasks>
}

const TASK_COLUMNS = 'id, created_at, completed_at, steps, steps_done, name, place'
const STEP_SELECT = 'id, task, created_at, completed_at, text'
export const STEP_COLUMNS = ['scope', 'id', 'task', 'created_at', 'completed_at', 'text', 'search']

export function createTaskTable(sql: Sql, scope: number): TaskTable {
  async function search(filter: TaskFilter, limit: number, most: number): Promise<FoundTasks> {
    const { rows, found } = await searchTasks(sql, scope, { filter, columns: TASK_COLUMNS, limit, most })
    return { tasks: rows.map(taskFromRow), found }
  }

  return {
    async findCurrentId() {
      const [row] = await sql.all('SELECT current_task FROM scopes WHERE id = ?', scope)
      return row ? (nullableNumberColumn(row, 'current_task') ?? undefined) : undefined
    },
    async setCurrent(id) {
      await sql.run('UPDATE scopes SET current_task = ?, task_revision = task_revision + 1 WHERE id = ?', id, scope)
    },
    async find(id) {
      const [row] = await sql.all(`SELECT ${TASK_COLUMNS} FROM tasks WHERE scope = ? AND id = ?`, scope, clampId(id))
      return row && taskFromRow(row)
    },
    async findStep(id) {
      const [row] = await sql.all(`SELECT ${STEP_SELECT} FROM steps WHERE scope = ? AND id = ?`, scope, clampId(id))
      return row && stepFromRow(row)
    },
    async listSteps(taskId, { state, from = 0, limit } = {}) {
      const open = state === 'open' ? ' AND completed_at IS NULL' : ''
      const end = limit === undefined ? '' : ' LIMIT ?'
      const text = `SELECT ${STEP_SELECT} FROM steps WHERE scope = ? AND task = ? AND id >= ?${open} ORDER BY id${end}`
      return (await sql.all(text, scope, taskId, clampId(from), ...(limit === undefined ? [] : [limit]))).map(
        stepFromRow,
      )
    },
    insert: (name, at) => insertTask(sql, scope, toStorableText(name), at),
    insertSteps: (taskId, steps, at) => insertSteps(sql, scope, taskId, steps.map(toStorableStep), at),
    complete: (id, at) => completeTask(sql, scope, id, at),
    completeStep: (id, at) => completeStep(sql, scope, id, at),
    reopen: (id) => reopenTask(sql, scope, id),
    reopenStep: (id) => reopenStep(sql, scope, id),
    rename: (id, name) => renameTask(sql, scope, id, toStorableText(name)),
    rewriteStep: (id, text) => rewriteStep(sql, scope, id, toStorableText(text)),
    deleteStep: (id) => deleteStep(sql, scope, id),
    delete: async (id) => void (await deleteTask(sql, scope, id)),
    move: (id, to) => moveTask(sql, scope, id, to),
    list: async (filter, limit) => (await search(filter, limit, limit)).tasks,
    countAll: () => readCounts(sql, scope),
    findRevision: () => readTaskRevision(sql, scope),
    search,
  }
}

/** The steps of all tasks of a scope, sorted by id: one query instead of one per task. */
export async function listAllSteps(sql: Sql, scope: number): Promise<readonly StepRow[]> {
  return (await sql.all(`SELECT ${STEP_SELECT} FROM steps WHERE scope = ? ORDER BY id`, scope)).map(stepFromRow)
}

/** Clamps an id to the range that databases and numbers represent exactly. */
function clampId(id: number): number {
  return Math.max(-1, Math.min(id, Number.MAX_SAFE_INTEGER))
}

async function insertTask(sql: Sql, scope: number, name: string, at: number): Promise<TaskRow> {
  const id = await allocateIds(sql, scope, 'next_task', 1)
  const search = foldForSearch(name)
  await sql.run(
    `INSERT INTO tasks (scope, id, created_at, name, search, place)
     VALUES (?, ?, ?, ?, ?, (SELECT CASE WHEN has_places = 1 THEN next_task - 1 END FROM scopes WHERE id = ?))`,
    scope,
    id,
    at,
    name,
    search,
    scope,
  )
  const added = { tasks: 1, open: 1, openSteps: 0 }
  await addTexts(sql, scope, { task: id, added, texts: { names: [{ id, text: search }], steps: [] } })
  return { id, name, createdAt: at, completedAt: null, steps: 0, stepsDone: 0, place: id }
}

async function insertSteps(
  sql: Sql,
  scope: number,
  taskId: number,
  steps: readonly NewStep[],
  at: number,
): Promise<readonly StepRow[]> {
  if (steps.length === 0) return []
  const open = steps.filter(({ completedAt }) => completedAt === null).length
  const first = await allocateIds(sql, scope, 'next_step', steps.length)
  const rows = steps.map((step, index): StepRow => ({ id: first + index, taskId, createdAt: at, ...step }))
  const texts = rows.map(({ id, text }) => ({ id, text: foldForSearch(text) }))
  await insertRows(
    sql,
    'steps',
    STEP_COLUMNS,
    rows.map(({ id, createdAt, completedAt, text }, index) => {
      return [scope, id, taskId, createdAt, completedAt, text, texts[index]?.text ?? null]
    }),
  )
  const updated = await sql.run(
    'UPDATE tasks SET steps = steps + ?, steps_done = steps_done + ? WHERE scope = ? AND id = ? RETURNING completed_at',
    steps.length,
    steps.length - open,
    scope,
    taskId,
  )
  const isDone = nullableNumberColumn(requireRow(updated), 'completed_at') !== null
  const added = { tasks: 0, open: 0, openSteps: isDone ? 0 : open }
  await addTexts(sql, scope, { task: taskId, added, texts: { names: [], steps: texts } })
  return rows
}

interface AddedTexts {
  readonly task: number
  readonly added: TaskCounts
  readonly texts: IndexedTexts
}

/** Counts what was added, enforces the limits, and adds the texts to the index. */
async function addTexts(sql: Sql, scope: number, { task, added, texts }: AddedTexts): Promise<void> {
  const all = [...texts.names, ...texts.steps]
  const characters = all.reduce((sum, { text }) => sum + countCharacters(text), 0)
  const rows = await sql.run(
    `UPDATE scopes SET tasks = tasks + ?, open_tasks = open_tasks + ?, open_steps = open_steps + ?,
       characters = characters + CASE WHEN indexed_from <= ? THEN ? ELSE 0 END, task_revision = task_revision + 1
     WHERE id = ? RETURNING tasks, characters, indexed_from`,
    added.tasks,
    added.open,
    added.openSteps,
    task,
    characters,
    scope,
  )
  const row = requireRow(rows)
  await enforceTaskLimits(sql, scope, {
    tasks: numberColumn(row, 'tasks'),
    characters: numberColumn(row, 'characters'),
  })
  // The others are added by index-tasks.
  const indexedFrom = nullableNumberColumn(row, 'indexed_from')
  const fits = all.every(({ id }) => id <= MAX_INDEXED_ID)
  if (fits && indexedFrom !== null && indexedFrom <= task) await addToIndex(sql, scope, texts)
}

async function completeTask(sql: Sql, scope: number, id: number, at: number): Promise<void> {
  const [row] = await sql.run(
    `UPDATE tasks SET completed_at = ? WHERE scope = ? AND id = ? AND completed_at IS NULL
     RETURNING steps, steps_done`,
    at,
    scope,
    id,
  )
  if (!row) return
  const openSteps = numberColumn(row, 'steps') - numberColumn(row, 'steps_done')
  await addToCounts(sql, scope, { tasks: 0, open: -1, openSteps: -openSteps })
}

async function completeStep(sql: Sql, scope: number, id: number, at: number): Promise<void> {
  const [row] = await sql.run(
    'UPDATE steps SET completed_at = ? WHERE scope = ? AND id = ? AND completed_at IS NULL RETURNING task',
    at,
    scope,
    id,
  )
  if (!row) return
  const updated = await sql.run(
    'UPDATE tasks SET steps_done = steps_done + 1 WHERE scope = ? AND id = ? RETURNING completed_at',
    scope,
    numberColumn(row, 'task'),
  )
  const isTaskOpen = nullableNumberColumn(requireRow(updated), 'completed_at') === null
  await addToCounts(sql, scope, { tasks: 0, open: 0, openSteps: isTaskOpen ? -1 : 0 })
}

function toStorableStep({ text, completedAt }: NewStep): NewStep {
  return { text: toStorableText(text), completedAt }
}

function taskFromRow(row: SqlRow): TaskRow {
  const id = numberColumn(row, 'id')
  return {
    id,
    name: textColumn(row, 'name'),
    createdAt: numberColumn(row, 'created_at'),
    completedAt: nullableNumberColumn(row, 'completed_at'),
    steps: numberColumn(row, 'steps'),
    stepsDone: numberColumn(row, 'steps_done'),
    place: nullableNumberColumn(row, 'place') ?? id,
  }
}

function stepFromRow(row: SqlRow): StepRow {
  return {
    id: numberColumn(row, 'id'),
    taskId: numberColumn(row, 'task'),
    text: textColumn(row, 'text'),
    createdAt: numberColumn(row, 'created_at'),
    completedAt: nullableNumberColumn(row, 'completed_at'),
  }
}
