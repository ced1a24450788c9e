// Reads the text of the open plan: plan.md as it is now, because commands write to it too, else the version saved last.

import { join } from 'node:path'

import type { PlanRows } from '../../store/state/plan-rows.js'
import { sessionFolder } from '../sessions/session-folder.js'
import { readPlanFile } from './read-plan-file.js'

/** Undefined if no plan is open or nothing was written yet. */
export async function readOpenPlan(plans: PlanRows, project: string): Promise<string | undefined> {
  const openPlan = await plans.open()
  if (!openPlan) return undefined
  const file = join(sessionFolder(project, openPlan.session), 'plan.md')
  return readPlanFile(file).catch(async () => (await plans.versions(openPlan.id)).at(-1)?.text)
}
