// All that is kept, of every scope, as one moment saw it; in an order that depends on nothing but the contents.

import { createPlanTable } from './plan-table.js'
import { numberIn, numberOrNullIn, textIn, type Database, type Sql, type SqlRow } from './sql.js'
import type { PlanDocument, ScopeDocument, StateDocument, StepDocument, TaskDocument } from './state-document.js'
import type { StepRow } from './task-rows.js'
import { allSteps, createTaskTable } from './task-table.js'

const ALL = Number.MAX_SAFE_INTEGER

export function exportState(database: Database): Promise<StateDocument> {
  return database.read(async (sql) => {
    const rows = await sql.all('SELECT * FROM scopes')
    const scopes: ScopeDocument[] = []
    for (const row of rows) scopes.push(await scopeOf(sql, row))
    return { version: 1, scopes: scopes.sort(byName) }
  })
}

async function scopeOf(sql: Sql, row: SqlRow): Promise<ScopeDocument> {
  const id = numberIn(row, 'id')
  return {
    project: textIn(row, 'project'),
    user: textIn(row, 'user_name'),
    nextTask: numberIn(row, 'next_task'),
    nextStep: numberIn(row, 'next_step'),
    nextPlan: numberIn(row, 'next_plan'),
    currentTask: numberOrNullIn(row, 'current_task'),
    tasks: await tasksOf(sql, id),
    plans: await plansOf(sql, id),
  }
}

async function tasksOf(sql: Sql, scope: number): Promise<readonly TaskDocument[]> {
  const stepsOf = new Map<number, StepDocument[]>()
  for (const step of await allSteps(sql, scope)) {
    const steps = stepsOf.get(step.taskId)
    if (steps) steps.push(stepOf(step))
    else stepsOf.set(step.taskId, [stepOf(step)])
  }
  const tasks = await createTaskTable(sql, scope).list({ terms: [] }, ALL)
  return tasks
    .map(({ id, name, createdAt, completedAt }) => ({ id, name, createdAt, completedAt, steps: stepsOf.get(id) ?? [] }))
    .toReversed()
}

function stepOf({ id, text, createdAt, completedAt }: StepRow): StepDocument {
  return { id, text, createdAt, completedAt }
}

async function plansOf(sql: Sql, scope: number): Promise<readonly PlanDocument[]> {
  const table = createPlanTable(sql, scope)
  const plans: PlanDocument[] = []
  for (const plan of await table.all()) plans.push({ ...plan, versions: await table.versions(plan.id) })
  return plans
}

function byName(one: ScopeDocument, other: ScopeDocument): number {
  return compare(one.project, other.project) || compare(one.user, other.user)
}

function compare(one: string, other: string): number {
  if (one === other) return 0
  return one < other ? -1 : 1
}
