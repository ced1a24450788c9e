// A task made from the checklist of an accepted plan, its items as steps. It becomes the current one.

import { oneLine } from '../../lib/one-line.js'
import type { TaskRows } from '../../store/state/task-rows.js'
import { checklistOf, headingOf } from './checklist.js'

const MAX_NAME = 200

export interface PlanTask {
  readonly id: number
  readonly name: string
  readonly items: number
  /** Items that there are beyond these, and were not taken. */
  readonly left: number
  /** Items that were too long and were cut. */
  readonly cut: number
  readonly isDone: boolean
}

/** undefined: the plan has no checklist. */
export async function taskFromPlan(
  tasks: TaskRows,
  { goal, text, at }: { readonly goal: string; readonly text: string; readonly at: number },
): Promise<PlanTask | undefined> {
  const { items, total, cut } = checklistOf(text)
  if (items.length === 0) return undefined
  const name = oneLine(goal || headingOf(text) || 'Plan', MAX_NAME)
  const { id } = await tasks.insert(name, at)
  const steps = items.map((item) => ({ text: item.text, completedAt: item.done ? at : null }))
  await tasks.insertSteps(id, steps, at)
  await tasks.setCurrent(id)
  const isDone = items.every(({ done }) => done) && total === items.length
  if (isDone) await tasks.complete(id, at)
  return { id, name, items: items.length, left: total - items.length, cut, isDone }
}
