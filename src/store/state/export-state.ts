// Exports all scopes in one read transaction, in an order that depends only on the content.

import { createPlanTable } from './plan-table.js'
import { numberIn, numberOrNullIn, textIn, type Database, type Sql, type SqlRow } from './sql.js'
import type { PlanDocument, ScopeDocument, StateDocument, StepDocument, TaskDocument } from './state-document.js'
import type { StepRow } from './task-rows.js'
import { allSteps, createTaskTable } from './task-table.js'

const NO_LIMIT = Number.MAX_SAFE_INTEGER

export function exportState(database: Database): Promise<StateDocument> {
  return database.read(async (sql) => {
    const rows = await sql.all('SELECT * FROM scopes')
    const scopes: ScopeDocument[] = []
    for (const row of rows) scopes.push(await exportScope(sql, row))
    return { version: 1, scopes: scopes.sort(compareScopes) }
  })
}

async function exportScope(sql: Sql, row: SqlRow): Promise<ScopeDocument> {
  const id = numberIn(row, 'id')
  return {
    project: textIn(row, 'project'),
    user: textIn(row, 'user_name'),
    nextTask: numberIn(row, 'next_task'),
    nextStep: numberIn(row, 'next_step'),
    nextPlan: numberIn(row, 'next_plan'),
    currentTask: numberOrNullIn(row, 'current_task'),
    tasks: await exportTasks(sql, id),
    plans: await exportPlans(sql, id),
  }
}

async function exportTasks(sql: Sql, scope: number): Promise<readonly TaskDocument[]> {
  const stepsByTask = new Map<number, StepDocument[]>()
  for (const step of await allSteps(sql, scope)) {
    const steps = stepsByTask.get(step.taskId)
    if (steps) steps.push(exportStep(step))
    else stepsByTask.set(step.taskId, [exportStep(step)])
  }
  const tasks = await createTaskTable(sql, scope).list({ terms: [] }, NO_LIMIT)
  return tasks
    .map(({ id, name, createdAt, completedAt }) => ({
      id,
      name,
      createdAt,
      completedAt,
      steps: stepsByTask.get(id) ?? [],
    }))
    .toReversed()
}

function exportStep({ id, text, createdAt, completedAt }: StepRow): StepDocument {
  return { id, text, createdAt, completedAt }
}

async function exportPlans(sql: Sql, scope: number): Promise<readonly PlanDocument[]> {
  const table = createPlanTable(sql, scope)
  const plans: PlanDocument[] = []
  for (const plan of await table.all()) plans.push({ ...plan, versions: await table.versions(plan.id) })
  return plans
}

function compareScopes(one: ScopeDocument, other: ScopeDocument): number {
  return compareText(one.project, other.project) || compareText(one.user, other.user)
}

function compareText(one: string, other: string): number {
  if (one === other) return 0
  return one < other ? -1 : 1
}
