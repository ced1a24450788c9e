// Failures of the task service. Each message lists the tasks or steps that the caller can choose from. Reads the task
// table in the transaction of its caller. Used by task-service.

import { Failure } from '@scorpiox/mcp/errors'
import { toSingleLine } from '../../text/format.js'
import type { StepRow, TaskRow, TaskTable } from './task-table.js'

const MAX_NAMED = 8
const MAX_CHARACTERS = 80

export async function noCurrentTask(tasks: TaskTable): Promise<Failure> {
  return new Failure(`There is no current task: create one, or give task_id. ${await listOpenTasks(tasks)}`)
}

export async function noTask(tasks: TaskTable, id: number): Promise<Failure> {
  return new Failure(`There is no task ${id}. ${await listOpenTasks(tasks)}`)
}

export async function noStep(tasks: TaskTable, id: number, task: TaskRow): Promise<Failure> {
  return new Failure(`There is no step ${id}. ${await listOpenSteps(tasks, task)}`)
}

/** Step ids are unique in the project, so a step of another task can be recognized. */
export async function stepOfOtherTask(tasks: TaskTable, step: StepRow, task: TaskRow): Promise<Failure> {
  const owner = await tasks.find(step.taskId)
  const whose = owner ? quoteTaskName(owner) : `task ${step.taskId}`
  return new Failure(
    `Step ${step.id} belongs to ${whose}, not to ${quoteTaskName(task)}: complete it with task_id ${step.taskId}. ` +
      (await listOpenSteps(tasks, task)),
  )
}

export async function alreadyComplete(tasks: TaskTable, task: TaskRow, step?: StepRow): Promise<Failure> {
  const { completedAt } = step ?? task
  const what = step
    ? `Step ${step.id} "${toSingleLine(step.text, MAX_CHARACTERS)}"`
    : `Task ${task.id} "${toSingleLine(task.name, MAX_CHARACTERS)}"`
  const when = new Date(completedAt ?? 0).toISOString()
  const next = step ? await listOpenSteps(tasks, task) : await listOpenTasks(tasks)
  return new Failure(`${what} is already complete, since ${when}. ${next}`)
}

export async function taskIsComplete(tasks: TaskTable, task: TaskRow): Promise<Failure> {
  return new Failure(
    `Task ${task.id} "${toSingleLine(task.name, MAX_CHARACTERS)}" is complete and takes no more steps: create another task, or give the task_id of an open one. ` +
      (await listOpenTasks(tasks)),
  )
}

export async function ambiguousQuery(tasks: TaskTable, query: string, found: readonly TaskRow[]): Promise<Failure> {
  if (query.trim() === '')
    return new Failure(`Which task? Give task_id, or words of its name as query. ${await listOpenTasks(tasks)}`)
  if (found.length === 0)
    return new Failure(
      `No task has ${JSON.stringify(toSingleLine(query, MAX_CHARACTERS))} in it. ${await listOpenTasks(tasks)}`,
    )
  return new Failure(
    `Several tasks have ${JSON.stringify(toSingleLine(query, MAX_CHARACTERS))} in them: give task_id. ${listTasks(found)}`,
  )
}

async function listOpenTasks(tasks: TaskTable): Promise<string> {
  const open = await tasks.list({ terms: [], state: 'open' }, MAX_NAMED + 1)
  return open.length === 0 ? 'No task is open.' : `Open tasks: ${listTasks(open)}`
}

async function listOpenSteps(tasks: TaskTable, task: TaskRow): Promise<string> {
  const open = await tasks.listSteps(task.id, { state: 'open', limit: MAX_NAMED + 1 })
  if (open.length === 0) return `Task ${task.id} has no open step.`
  const some = open.slice(0, MAX_NAMED).map(({ id, text }) => `${id} "${toSingleLine(text, MAX_CHARACTERS)}"`)
  return `Open steps of task ${task.id}: ${some.join(', ')}${open.length > MAX_NAMED ? ', ...' : '.'}`
}

function listTasks(tasks: readonly TaskRow[]): string {
  const some = tasks.slice(0, MAX_NAMED).map(({ id, name }) => `${id} "${toSingleLine(name, MAX_CHARACTERS)}"`)
  return `${some.join(', ')}${tasks.length > MAX_NAMED ? ', ...' : '.'}`
}

function quoteTaskName({ id, name }: TaskRow): string {
  return `task ${id} "${toSingleLine(name, MAX_CHARACTERS)}"`
}
