// Exports tasks and plans from a database, and imports them. The export reads all scopes (one user in one project each)
// in one transaction, in an order that depends only on the content. The import is all or nothing; ids that were used
// are not used again, even if the export says so. Used by state-command. Reads and writes the database.

import { Failure } from '@scorpiox/mcp/errors'
import { createPlanTable } from '@scorpiox/server/features/plans/lazy'
import type { StepRow, TaskRow } from '@scorpiox/server/features/tasks/index'
import {
  countRows,
  createTaskTable,
  indexTasks,
  listAllSteps,
  removeScopeFromIndex,
  STEP_COLUMNS,
} from '@scorpiox/server/features/tasks/lazy'
import {
  type Database,
  insertRows,
  nullableNumberColumn,
  numberColumn,
  type Sql,
  type SqlRow,
  textColumn,
} from '@scorpiox/server/storage/database'
import { lockScope } from '@scorpiox/server/storage/scope-table'
import { foldForSearch } from '@scorpiox/server/text/normalize-text'
import type { PlanExport, ScopeExport, StateExport, StepExport, TaskExport } from './state-document.js'

const NO_LIMIT = Number.MAX_SAFE_INTEGER

export function exportState(database: Database): Promise<StateExport> {
  return database.read(async (sql) => {
    const rows = await sql.all('SELECT * FROM scopes')
    const scopes: ScopeExport[] = []
    for (const row of rows) scopes.push(await exportScope(sql, row))
    return { version: 1, scopes: scopes.sort(compareScopes) }
  })
}

async function exportScope(sql: Sql, row: SqlRow): Promise<ScopeExport> {
  const id = numberColumn(row, 'id')
  return {
    project: textColumn(row, 'project'),
    user: textColumn(row, 'user_name'),
    nextTask: numberColumn(row, 'next_task'),
    nextStep: numberColumn(row, 'next_step'),
    nextPlan: numberColumn(row, 'next_plan'),
    currentTask: nullableNumberColumn(row, 'current_task'),
    tasks: await exportTasks(sql, id),
    plans: await exportPlans(sql, id),
  }
}

async function exportTasks(sql: Sql, scope: number): Promise<readonly TaskExport[]> {
  const stepsByTask = new Map<number, StepExport[]>()
  for (const step of await listAllSteps(sql, scope)) {
    const steps = stepsByTask.get(step.taskId)
    if (steps) steps.push(exportStep(step))
    else stepsByTask.set(step.taskId, [exportStep(step)])
  }
  const tasks = await createTaskTable(sql, scope).list({ terms: [] }, NO_LIMIT)
  return tasks
    .map((task) => exportTask(task, stepsByTask.get(task.id) ?? []))
    .toSorted((one, other) => one.id - other.id)
}

function exportTask({ id, name, createdAt, completedAt, place }: TaskRow, steps: readonly StepExport[]): TaskExport {
  const task = { id, name, createdAt, completedAt }
  return place === id ? { ...task, steps } : { ...task, place, steps }
}

function exportStep({ id, text, createdAt, completedAt }: StepRow): StepExport {
  return { id, text, createdAt, completedAt }
}

async function exportPlans(sql: Sql, scope: number): Promise<readonly PlanExport[]> {
  const table = createPlanTable(sql, scope)
  const plans: PlanExport[] = []
  for (const plan of await table.list()) plans.push({ ...plan, versions: await table.listVersions(plan.id) })
  return plans
}

function compareScopes(one: ScopeExport, other: ScopeExport): number {
  return compareText(one.project, other.project) || compareText(one.user, other.user)
}

function compareText(one: string, other: string): number {
  if (one === other) return 0
  return one < other ? -1 : 1
}

const TASK_COLUMNS = ['scope', 'id', 'created_at', 'completed_at', 'steps', 'steps_done', 'name', 'search', 'place']
const PLAN_COLUMNS = ['scope', 'id', 'goal', 'session', 'started_at', 'outcome', 'ended_at', 'plan_file']
const VERSION_COLUMNS = ['scope', 'plan', 'number', 'saved_at', 'text']

/** Rejects scopes that already have rows, unless `replace` is set. */
export async function importState(database: Database, { scopes }: StateExport, replace: boolean): Promise<void> {
  await database.write('import', async (sql) => {
    const locked: [number, ScopeExport][] = []
    for (const scope of scopes) locked.push([(await lockScope(sql, scope)).id, scope])
    if (replace) for (const [id] of locked) await deleteScopeRows(sql, id)
    else await rejectNonEmptyScopes(sql, locked, database.name)
    for (const [id, scope] of locked) {
      await insertTasks(sql, id, scope.tasks)
      await insertPlans(sql, id, scope.plans)
      await updateCounters(sql, id, scope)
    }
    return { value: undefined, commit: true }
  })
  await indexTasks(database)
}

async function deleteScopeRows(sql: Sql, scope: number): Promise<void> {
  await removeScopeFromIndex(sql, scope)
  for (const table of ['plan_approvals', 'plan_versions', 'plans', 'steps', 'tasks']) {
    await sql.run(`DELETE FROM ${table} WHERE scope = ?`, scope)
  }
}

async function rejectNonEmptyScopes(
  sql: Sql,
  locked: readonly (readonly [number, ScopeExport])[],
  name: string,
): Promise<void> {
  const used: string[] = []
  for (const [id, { project, user }] of locked) {
    const rows = await sql.all('SELECT 1 FROM tasks WHERE scope = ? UNION SELECT 1 FROM plans WHERE scope = ?', id, id)
    if (rows.length > 0) used.push(`${project} of ${user}`)
  }
  if (used.length === 0) return
  throw new Failure(
    `${name} already has tasks or plans for ${used.join(', ')}; nothing was imported. Use --replace to replace them`,
  )
}

async function insertTasks(sql: Sql, scope: number, tasks: readonly TaskExport[]): Promise<void> {
  const havePlaces = hasMovedTasks(tasks)
  const rows = tasks.map(({ id, createdAt, completedAt, steps, name, place = id }) => {
    const done = steps.filter((step) => step.completedAt !== null).length
    const placed = havePlaces ? place : null
    return [scope, id, createdAt, completedAt, steps.length, done, name, foldForSearch(name), placed]
  })
  await insertRows(sql, 'tasks', TASK_COLUMNS, rows)
  const steps = tasks.flatMap((task) =>
    task.steps.map(({ id, createdAt, completedAt, text }) => {
      return [scope, id, task.id, createdAt, completedAt, text, foldForSearch(text)]
    }),
  )
  await insertRows(sql, 'steps', STEP_COLUMNS, steps)
}

function hasMovedTasks(tasks: readonly TaskExport[]): boolean {
  return tasks.some(({ place }) => place !== undefined)
}

async function insertPlans(sql: Sql, scope: number, plans: readonly PlanExport[]): Promise<void> {
  const rows = plans.map(({ id, goal, session, startedAt, outcome, endedAt, planFile }) => {
    return [scope, id, goal, session, startedAt, outcome, endedAt, planFile]
  })
  await insertRows(sql, 'plans', PLAN_COLUMNS, rows)
  const versions = plans.flatMap((plan) =>
    plan.versions.map(({ number, savedAt, text }) => [scope, plan.id, number, savedAt, text]),
  )
  await insertRows(sql, 'plan_versions', VERSION_COLUMNS, versions)
}

async function updateCounters(sql: Sql, scope: number, imported: ScopeExport): Promise<void> {
  const { tasks, open, openSteps } = await countRows(sql, scope)
  await sql.run(
    `UPDATE scopes SET current_task = ?, tasks = ?, open_tasks = ?, open_steps = ?, characters = 0, indexed_from = NULL,
       has_places = ?, task_revision = task_revision + 1,
       next_task = CASE WHEN next_task > ? THEN next_task ELSE ? END,
       next_step = CASE WHEN next_step > ? THEN next_step ELSE ? END,
       next_plan = CASE WHEN next_plan > ? THEN next_plan ELSE ? END
     WHERE id = ?`,
    imported.currentTask,
    tasks,
    open,
    openSteps,
    hasMovedTasks(imported.tasks) ? 1 : 0,
    ...[imported.nextTask, imported.nextStep, imported.nextPlan].flatMap((next) => [next, next]),
    scope,
  )
}
