// The text of the plan that is open in a project: the file as it is now, because programs write to it too, else the
// version that was saved last.

import { join } from 'node:path'

import type { PlanRows } from '../../store/state/plan-rows.js'
import { sessionFolder } from '../sessions/session-folder.js'
import { readPlanFile } from './read-plan-file.js'

/** Undefined where no plan is open, or nothing has been written yet. */
export async function readOpenPlan(plans: PlanRows, project: string): Promise<string | undefined> {
  const open = await plans.open()
  if (!open) return undefined
  const file = join(sessionFolder(project, open.session), 'plan.md')
  return readPlanFile(file).catch(async () => (await plans.versions(open.id)).at(-1)?.text)
}
