// Tasks as the console shows them: with their first steps, as pages of the list, or one with all that fits. Used by
// database-view and user-console. Reads the database in the transaction of its caller.

import { Failure } from '@scorpiox/mcp/errors'
import type { StepRow, TaskRow, TaskTable } from '@scorpiox/server/features/tasks/index'
import { listTaskPage } from '@scorpiox/server/features/tasks/lazy'
import type { StepView, TaskPage, TaskQuery, TaskView } from './view.js'

const FIRST_STEPS = 20
/** Limit per request. */
const MORE_STEPS = 500

export async function readTaskPage(tasks: TaskTable, query: TaskQuery): Promise<TaskPage> {
  const page = await listTaskPage(tasks, query)
  return {
    ...page,
    tasks: await toTaskViews(tasks, page.tasks, await tasks.findCurrentId()),
    taskRevision: await tasks.findRevision(),
  }
}

export async function readTask(tasks: TaskTable, id: number): Promise<TaskView> {
  const task = await tasks.find(id)
  if (!task) throw new Failure(`There is no task ${id}. It may have been deleted.`)
  const steps = await readTaskSteps(tasks, id, 0)
  return toTaskView(task, steps, await tasks.findCurrentId())
}

/** Steps of a task from an id on. */
export async function readTaskSteps(tasks: TaskTable, task: number, from: number): Promise<readonly StepView[]> {
  return (await tasks.listSteps(task, { from, limit: MORE_STEPS })).map(toStepView)
}

export async function toTaskViews(
  tasks: TaskTable,
  rows: readonly TaskRow[],
  current: number | undefined,
): Promise<readonly TaskView[]> {
  const views: TaskView[] = []
  for (const row of rows) {
    const steps = await tasks.listSteps(row.id, { limit: FIRST_STEPS })
    views.push(toTaskView(row, steps.map(toStepView), current))
  }
  return views
}

function toTaskView(
  { id, name, createdAt, completedAt, steps: stepsTotal, stepsDone }: TaskRow,
  steps: readonly StepView[],
  current: number | undefined,
): TaskView {
  return { id, name, isCurrent: id === current, createdAt, completedAt, steps, stepsDone, stepsTotal }
}

function toStepView({ id, text, completedAt }: StepRow): StepView {
  return { id, text, isDone: completedAt !== null }
}
