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
  /** Only tasks with this id or a greater one. */
  readonly from?: number | undefined
  /** Only tasks with a smaller id. */
  readonly before?: number | undefined
  /** Excludes this task. */
  readonly except?: number | undefined
}

export interface TaskCounts {
  readonly tasks: number
  readonly open: number
  /** Open steps of the open tasks. */
  readonly openSteps: number
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
  /** Newest first. */
  list(filter: TaskFilter, limit: number): Promise<readonly TaskRow[]>
  /** Of the whole project. */
  countAll(): Promise<TaskCounts>
  /** As `list`, with the number of tasks that match, at most `most`: counting does not take longer with more of them. */
  search(filter: TaskFilter, limit: number, most: number): Promise<FoundTasks>
}

const TASK_COLUMNS = 'id, created_at, completed_at, steps, steps_done, name'
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
      await sql.run('UPDATE scopes SET current_task = ? WHERE id = ?', id, scope)
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
    list: async (filter, limit) => (await search(filter, limit, limit)).tasks,
    countAll: () => readCounts(sql, scope),
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
    'INSERT INTO tasks (scope, id, created_at, name, search) VALUES (?, ?, ?, ?, ?)',
    scope,
    id,
    at,
    name,
    search,
  )
  const added = { tasks: 1, open: 1, openSteps: 0 }
  await addTexts(sql, scope, { task: id, added, texts: { names: [{ id, text: search }], steps: [] } })
  return { id, name, createdAt: at, completedAt: null, steps: 0, stepsDone: 0 }
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
       characters = characters + CASE WHEN indexed_from <= ? THEN ? ELSE 0 END
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

/** As `length` of both databases counts them. */
export function countCharacters(text: string): number {
  return text.length - (text.match(/[\uDC00-\uDFFF]/g)?.length ?? 0)
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
  if (nullableNumberColumn(requireRow(updated), 'completed_at') !== null) return
  await addToCounts(sql, scope, { tasks: 0, open: 0, openSteps: -1 })
}

/** Adds to the counters of the scope; counting rows would get slower with every task. */
async function addToCounts(sql: Sql, scope: number, { tasks, open, openSteps }: TaskCounts): Promise<void> {
  await sql.run(
    'UPDATE scopes SET tasks = tasks + ?, open_tasks = open_tasks + ?, open_steps = open_steps + ? WHERE id = ?',
    tasks,
    open,
    openSteps,
    scope,
  )
}

/** Counts the rows themselves, for rows that were written without these counters. */
export async function countRows(sql: Sql, scope: number): Promise<TaskCounts> {
  const rows = await sql.all(
    `SELECT count(*) AS tasks, count(*) FILTER (WHERE completed_at IS NULL) AS open_tasks,
       CAST(coalesce(sum(steps - steps_done) FILTER (WHERE completed_at IS NULL), 0) AS BIGINT) AS open_steps
     FROM tasks WHERE scope = ?`,
    scope,
  )
  return countsFromRow(requireRow(rows))
}

function countsFromRow(row: SqlRow): TaskCounts {
  return {
    tasks: numberColumn(row, 'tasks'),
    open: numberColumn(row, 'open_tasks'),
    openSteps: numberColumn(row, 'open_steps'),
  }
}

async function readCounts(sql: Sql, scope: number): Promise<TaskCounts> {
  const [row] = await sql.all('SELECT tasks, open_tasks, open_steps FROM scopes WHERE id = ?', scope)
  return row ? countsFromRow(row) : { tasks: 0, open: 0, openSteps: 0 }
}

function toStorableStep({ text, completedAt }: NewStep): NewStep {
  return { text: toStorableText(text), completedAt }
}

function taskFromRow(row: SqlRow): TaskRow {
  return {
    id: numberColumn(row, 'id'),
    name: textColumn(row, 'name'),
    createdAt: numberColumn(row, 'created_at'),
    completedAt: nullableNumberColumn(row, 'completed_at'),
    steps: numberColumn(row, 'steps'),
    stepsDone: numberColumn(row, 'steps_done'),
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
