// The plan as the view of PlanMode reads it. Loaded by the plan service with the first view. Reads the database in the
// transaction of its caller, and the plan file.

import type { AppPlan } from '../../calls/app-data.js'
import { findChanges } from './decide-plan.js'
import { readOpenPlanText } from './plan-file.js'
import type { PlanRow, PlanTables } from './plan-table.js'

export async function readPlanForView(rows: PlanTables, project: string): Promise<AppPlan> {
  const plan = await rows.plans.findLatest()
  if (!plan) return { state: 'none', goal: '', text: null, changes: [] }
  const text = await readText(rows, plan, project)
  const changes = text === null ? [] : await findChanges(rows, { planId: plan.id }, text)
  return { state: await readState(rows, plan), goal: plan.goal, text, changes }
}

async function readState({ approvals }: PlanTables, { outcome }: PlanRow): Promise<AppPlan['state']> {
  if (outcome !== 'open') return outcome === 'accepted' ? 'accepted' : 'discarded'
  return (await approvals.findOpen()) ? 'waiting' : 'writing'
}

async function readText({ plans, approvals }: PlanTables, plan: PlanRow, project: string): Promise<string | null> {
  if (plan.outcome === 'open')
    return (await approvals.findOpen())?.text ?? (await readOpenPlanText(plans, project)) ?? null
  return (await plans.listVersions(plan.id)).at(-1)?.text ?? null
}
