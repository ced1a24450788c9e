// Creates a task from the checklist of an accepted plan, with the items as steps. It becomes the current task only if
// there is no open one, because all agents of the project share the current task.

import { oneLine } from '../../lib/one-line.js'
import type { TaskRow, TaskRows } from '../../store/state/task-rows.js'
import { checklistOf, headingOf } from './checklist.js'

const MAX_NAME = 200

export interface PlanTask {
  readonly id: number
  readonly name: string
  readonly items: number
  /** Items beyond the limit. */
  readonly left: number
  /** Items that were truncated because they were too long. */
  readonly cut: number
  readonly isDone: boolean
  /** The open task that was current before and remains so; undefined: the new task is current. */
  readonly stays: Pick<TaskRow, 'id' | 'name'> | undefined
}

/** Returns undefined if the plan has no checklist. */
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
  const isDone = items.every(({ done }) => done) && total === items.length
  const stays = await findOpenCurrentTask(tasks)
  if (isDone) await tasks.complete(id, at)
  else if (!stays) await tasks.setCurrent(id)
  return { id, name, items: items.length, left: total - items.length, cut, isDone, stays }
}

async function findOpenCurrentTask(tasks: TaskRows): Promise<TaskRow | undefined> {
  const current = await tasks.current()
  const task = current === undefined ? undefined : await tasks.find(current)
  return task?.completedAt === null ? task : undefined
}
