// Handler of the tool ChangeTaskInView, and the tasks as the view of TaskManager reads them. Loaded with the first use. Uses
// the task service.

import type { CallContext } from '@scorpiox/mcp/definitions/call-context'
import { Failure } from '@scorpiox/mcp/errors'
import type { AppTask, AppTasks } from '../../calls/app-data.js'
import type { TaskEntry, TaskService } from './task-service.js'

interface ChangeTaskInViewInput {
  readonly action: 'create' | 'complete' | 'reopen' | 'switch'
  readonly task_id?: number | undefined
  readonly step_id?: number | undefined
  readonly name?: string | undefined
}

export const changeTaskInViewHandler = {
  /** Returns what was done. */
  async run(
    { action, name = '', task_id: taskId, step_id: stepId }: ChangeTaskInViewInput,
    { user }: CallContext,
    { tasks }: { readonly tasks: TaskService },
  ): Promise<string> {
    if (action === 'create') {
      await tasks.edit(user, { kind: 'create', name, steps: [] })
      return 'Created the task.'
    }
    if (taskId === undefined) throw new Failure(`${action} needs the task_id of a task.`)
    if (action === 'reopen') await tasks.edit(user, { kind: 'reopen', id: taskId })
    else if (action === 'switch') await tasks.switchTo(user, taskId)
    else if (stepId === undefined) await tasks.complete(user, taskId)
    else await tasks.completeStep(user, stepId, taskId)
    return `Changed task ${taskId}.`
  },
  format: (done: string) => done,
}

/** Cards of the column with tasks that are done. */
const MAX_DONE = 20

export async function readTaskBoard(tasks: TaskService, user: string, query: string): Promise<AppTasks> {
  const open = await tasks.pending(user, query)
  const done = await tasks.list(user, `${query} is:done`.trim())
  return {
    open: open.entries.map((entry) => toAppTask(entry, open.current)),
    done: done.entries.slice(0, MAX_DONE).map((entry) => toAppTask(entry, undefined)),
    openTasks: open.openTasks,
  }
}

function toAppTask({ task, steps }: TaskEntry, current: number | undefined): AppTask {
  return {
    id: task.id,
    name: task.name,
    isCurrent: task.id === current,
    steps: steps.map(({ id, text, completedAt }) => ({ id, text, isDone: completedAt !== null })),
    stepsDone: task.stepsDone,
    stepsTotal: task.steps,
  }
}
