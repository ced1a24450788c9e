// Changes of tasks by a person on the console. Each changes one field, so that a change of the model at the same time is
// kept. Where something could be lost it carries what the person saw, and a difference is a failure that says what it is
// now. Called by the console in a write transaction. Writes the database.

import { Failure } from '@scorpiox/mcp/errors'
import { formatCount, toSingleLine } from '../../text/format.js'
import type { StepRow, TaskRow, TaskTable } from './task-table.js'
import { MAX_NAME, MAX_STEP, newSteps, parseText } from './task-texts.js'

/** `id` is the number of a task, `step` that of a step. */
export type TaskEdit =
  | { readonly kind: 'create'; readonly name: string; readonly steps: readonly string[] }
  /** `before` is the name that the person saw. */
  | { readonly kind: 'rename'; readonly id: number; readonly name: string; readonly before: string }
  | { readonly kind: 'complete' | 'reopen' | 'set-current'; readonly id: number }
  /** `seen`: a task that has changed since is not deleted. */
  | { readonly kind: 'delete'; readonly id: number; readonly seen: SeenTask }
  /** The task gets the place of another open one; those in between move by one place. */
  | { readonly kind: 'move'; readonly id: number; readonly to: number }
  | { readonly kind: 'add-steps'; readonly id: number; readonly steps: readonly string[] }
  | {
      readonly kind: 'rename-step'
      readonly id: number
      readonly step: number
      readonly text: string
      readonly before: string
    }
  | { readonly kind: 'complete-step' | 'reopen-step'; readonly id: number; readonly step: number }
  | { readonly kind: 'delete-step'; readonly id: number; readonly step: number; readonly seen: SeenStep }

export interface SeenTask {
  readonly name: string
  readonly isDone: boolean
  readonly stepsDone: number
  readonly stepsTotal: number
}

export interface SeenStep {
  readonly text: string
  readonly isDone: boolean
}

export async function editTask(tasks: TaskTable, edit: TaskEdit, at: number): Promise<void> {
  if (edit.kind === 'create') return createTask(tasks, edit, at)
  const task = await requireTask(tasks, edit.id)
  switch (edit.kind) {
    case 'rename': {
      const name = parseText(edit.name, 'name of the task', MAX_NAME)
      requireUnchanged(`task ${task.id}`, task.name, edit.before, name)
      return name === task.name ? undefined : tasks.rename(task.id, name)
    }
    case 'complete':
      requireState(describeTask(task), task.completedAt, 'open')
      return tasks.complete(task.id, at)
    case 'reopen':
      requireState(describeTask(task), task.completedAt, 'done')
      return tasks.reopen(task.id)
    case 'set-current':
      requireState(describeTask(task), task.completedAt, 'open')
      return tasks.setCurrent(task.id)
    case 'delete':
      requireSeenTask(task, edit.seen)
      return tasks.delete(task.id)
    case 'move': {
      const to = await requireTask(tasks, edit.to)
      for (const each of [task, to])
        if (each.completedAt !== null)
          throw new Failure(`${describeTask(each)} is complete now. The order was not changed.`)
      return tasks.move(task.id, to.id)
    }
    case 'add-steps': {
      const steps = newSteps(edit.steps)
      requireState(describeTask(task), task.completedAt, 'open')
      return void (await tasks.insertSteps(task.id, steps, at))
    }
    case 'rename-step':
    case 'complete-step':
    case 'reopen-step':
    case 'delete-step':
      return editStep(tasks, await requireStep(tasks, task, edit.step), edit, at)
  }
}

type StepEdit = Extract<TaskEdit, { readonly step: number }>

async function editStep(tasks: TaskTable, step: StepRow, edit: StepEdit, at: number): Promise<void> {
  switch (edit.kind) {
    case 'rename-step': {
      const text = parseText(edit.text, 'text of the step', MAX_STEP)
      requireUnchanged(`step ${step.id}`, step.text, edit.before, text)
      return text === step.text ? undefined : tasks.rewriteStep(step.id, text)
    }
    case 'complete-step':
      requireState(describeStep(step), step.completedAt, 'open')
      return tasks.completeStep(step.id, at)
    case 'reopen-step':
      requireState(describeStep(step), step.completedAt, 'done')
      return tasks.reopenStep(step.id)
    case 'delete-step': {
      const { text, isDone } = edit.seen
      if (step.text !== text || (step.completedAt !== null) !== isDone)
        throw new Failure(`${describeStep(step)} has changed meanwhile. It was not deleted: read it first.`)
      return tasks.deleteStep(step.id)
    }
  }
}

/** It does not become the current task while another is: the model may be working on that one. */
async function createTask(
  tasks: TaskTable,
  { name, steps }: Extract<TaskEdit, { readonly kind: 'create' }>,
  at: number,
): Promise<void> {
  const [text, added] = [parseText(name, 'name of the task', MAX_NAME), newSteps(steps)]
  const task = await tasks.insert(text, at)
  await tasks.insertSteps(task.id, added, at)
  const currentId = await tasks.findCurrentId()
  const current = currentId === undefined ? undefined : await tasks.find(currentId)
  if (current === undefined || current.completedAt !== null) await tasks.setCurrent(task.id)
}

async function requireTask(tasks: TaskTable, id: number): Promise<TaskRow> {
  const task = await tasks.find(id)
  if (task) return task
  throw new Failure(`There is no task ${id}: it was deleted. Nothing was changed.`)
}

async function requireStep(tasks: TaskTable, task: TaskRow, id: number): Promise<StepRow> {
  const step = await tasks.findStep(id)
  if (step?.taskId === task.id) return step
  throw new Failure(`${describeTask(task)} has no step ${id}: it was deleted. Nothing was changed.`)
}

/** A repeated change is not a conflict. */
function requireUnchanged(what: string, now: string, before: string, wanted: string): void {
  if (now === before || now === wanted) return
  const text = JSON.stringify(toSingleLine(now, MAX_SHOWN))
  throw new Failure(`The text of ${what} was changed to ${text} meanwhile. It was not changed: edit it again.`)
}

function requireState(what: string, completedAt: number | null, wanted: 'open' | 'done'): void {
  if (wanted === 'open' && completedAt !== null)
    throw new Failure(`${what} is already complete, since ${new Date(completedAt).toISOString()}. Nothing was changed.`)
  if (wanted === 'done' && completedAt === null) throw new Failure(`${what} is already open. Nothing was changed.`)
}

function requireSeenTask(task: TaskRow, seen: SeenTask): void {
  const isSame =
    task.name === seen.name &&
    (task.completedAt !== null) === seen.isDone &&
    task.steps === seen.stepsTotal &&
    task.stepsDone === seen.stepsDone
  if (isSame) return
  const state = task.completedAt === null ? 'open' : 'complete'
  throw new Failure(
    `${describeTask(task)} has changed meanwhile: it is ${state}, with ${task.stepsDone} of ` +
      `${formatCount(task.steps, 'step', 'steps')} done. It was not deleted: look at it first.`,
  )
}

const MAX_SHOWN = 80

function describeTask({ id, name }: TaskRow): string {
  return `Task ${id} "${toSingleLine(name, MAX_SHOWN)}"`
}

function describeStep({ id, text }: StepRow): string {
  return `Step ${id} "${toSingleLine(text, MAX_SHOWN)}"`
}
