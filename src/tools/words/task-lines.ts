// Text and fields of TaskManager results. The size is bounded: what does not fit is counted, with the query of the next
// page.

import { oneLine } from '../../lib/one-line.js'
import type { StepRow, TaskRow } from '../../store/state/task-rows.js'
import { count, plural } from './words.js'

export const MAX_NAME = 100
export const MAX_STEP = 160

export function taskLine(task: TaskRow, current: number | undefined): string {
  return `${task.id === current ? '*' : ' '} ${task.id}  ${oneLine(task.name, MAX_NAME)}  (${task.id === current ? 'current, ' : ''}${progressOf(task)})`
}

export function stepLine({ id, text, completedAt }: StepRow): string {
  return `      ${completedAt === null ? '[ ]' : '[x]'} ${id}  ${oneLine(text, MAX_STEP)}`
}

export function progressOf({ completedAt, steps, stepsDone }: TaskRow): string {
  if (completedAt !== null) return 'complete'
  return steps === 0 ? 'no steps yet' : `${count(stepsDone)} of ${plural(steps, 'step', 'steps')} done`
}

export function titled({ id, name }: TaskRow): string {
  return `task ${id} "${oneLine(name, MAX_NAME)}"`
}

export function stepTitled({ id, text }: StepRow): string {
  return `step ${id} "${oneLine(text, MAX_STEP)}"`
}
