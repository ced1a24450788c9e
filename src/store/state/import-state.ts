// Imports an export, all or nothing. Ids that were used are not used again, even if the export says so.

import { Failure } from '../../lib/failure.js'
import { insertRows } from './insert-rows.js'
import { enterScope } from './scope-table.js'
import type { Database, Sql } from './sql.js'
import type { PlanDocument, ScopeDocument, StateDocument, TaskDocument } from './state-document.js'
import { countTasks, searchTextOf, STEP_COLUMNS } from './task-table.js'

const TASK_COLUMNS = ['scope', 'id', 'created_at', 'completed_at', 'steps', 'steps_done', 'name', 'search']
const PLAN_COLUMNS = ['scope', 'id', 'goal', 'session', 'started_at', 'outcome', 'ended_at', 'plan_file']
const VERSION_COLUMNS = ['scope', 'plan', 'number', 'saved_at', 'text']

/** Rejects scopes that already have rows, unless `replace` is set. */
export async function importState(database: Database, { scopes }: StateDocument, replace: boolean): Promise<void> {
  await database.write('import', async (sql) => {
    const locked: [number, ScopeDocument][] = []
    for (const scope of scopes) locked.push([(await enterScope(sql, scope)).id, scope])
    if (replace) for (const [id] of locked) await deleteScopeRows(sql, id)
    else await rejectNonEmptyScopes(sql, locked, database.name)
    for (const [id, scope] of locked) {
      await insertTasks(sql, id, scope.tasks)
      await insertPlans(sql, id, scope.plans)
      await updateCounters(sql, id, scope)
    }
    return { value: undefined, keep: true }
  })
}

async function deleteScopeRows(sql: Sql, scope: number): Promise<void> {
  for (const table of ['plan_versions', 'plans', 'steps', 'tasks']) {
    await sql.run(`DELETE FROM ${table} WHERE scope = ?`, scope)
  }
}

async function rejectNonEmptyScopes(
  sql: Sql,
  locked: readonly (readonly [number, ScopeDocument])[],
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

async function insertTasks(sql: Sql, scope: number, tasks: readonly TaskDocument[]): Promise<void> {
  const rows = tasks.map(({ id, createdAt, completedAt, steps, name }) => {
    const done = steps.filter((step) => step.completedAt !== null).length
    const search = searchTextOf([name, ...steps.map(({ text }) => text)])
    return [scope, id, createdAt, completedAt, steps.length, done, name, search]
  })
  await insertRows(sql, 'tasks', TASK_COLUMNS, rows)
  const steps = tasks.flatMap((task) =>
    task.steps.map(({ id, createdAt, completedAt, text }) => [scope, id, task.id, createdAt, completedAt, text]),
  )
  await insertRows(sql, 'steps', STEP_COLUMNS, steps)
}

async function insertPlans(sql: Sql, scope: number, plans: readonly PlanDocument[]): Promise<void> {
  const rows = plans.map(({ id, goal, session, startedAt, outcome, endedAt, planFile }) => {
    return [scope, id, goal, session, startedAt, outcome, endedAt, planFile]
  })
  await insertRows(sql, 'plans', PLAN_COLUMNS, rows)
  const versions = plans.flatMap((plan) =>
    plan.versions.map(({ number, savedAt, text }) => [scope, plan.id, number, savedAt, text]),
  )
  await insertRows(sql, 'plan_versions', VERSION_COLUMNS, versions)
}

async function updateCounters(sql: Sql, scope: number, imported: ScopeDocument): Promise<void> {
  const { tasks, open, openSteps } = await countTasks(sql, scope, { terms: [] })
  await sql.run(
    `UPDATE scopes SET current_task = ?, tasks = ?, open_tasks = ?, open_steps = ?,
       next_task = CASE WHEN next_task > ? THEN next_task ELSE ? END,
       next_step = CASE WHEN next_step > ? THEN next_step ELSE ? END,
       next_plan = CASE WHEN next_plan > ? THEN next_plan ELSE ? END
     WHERE id = ?`,
    imported.currentTask,
    tasks,
    open,
    openSteps,
    ...[imported.nextTask, imported.nextStep, imported.nextPlan].flatMap((next) => [next, next]),
    scope,
  )
}
