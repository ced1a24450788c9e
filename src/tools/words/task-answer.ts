import { oneLine } from '../../lib/one-line.js'
import type { Change, Entry, Listing } from '../../services/tasks/tasks.js'
import type { StepRow, TaskRow } from '../../store/state/task-rows.js'
import { MAX_NAME, MAX_STEP, stepLine, taskLine } from './task-lines.js'

/** Bytes of lines and fields together; the rest of a result takes less than 1 KB. */
const BUDGET = 6500

type Fields = ReturnType<typeof fieldsOf>
export type Changed = Fields & {
  readonly change: Change
  readonly action: 'create' | 'add' | 'complete' | 'switch'
  /** As many of the changed steps as fit. */
  readonly shownSteps: readonly StepRow[]
}
export type Listed = Fields & {
  readonly listing: Listing
  /** `show`: one task with all steps. `remaining`: one task with its open steps. */
  readonly kind: 'list' | 'pending' | 'show' | 'remaining'
  readonly query: string
  readonly shown: Shown
}
export type Answer = Changed | Listed

export function changeSaid(action: Changed['action'], change: Change): Changed {
  const { task, steps, next, current, openTasks, openSteps } = change
  const listing = { entries: [], current, found: 1, openTasks, openSteps }
  const shownSteps = withinBudget([{ task, steps }]).entries.flatMap((entry) => entry.steps)
  return { ...fieldsOf(listing, [task], shownSteps, next), action, change, shownSteps }
}

export function listingSaid(kind: Listed['kind'], query: string, listing: Listing): Listed {
  const shown = withinBudget(listing.entries)
  const tasks = shown.entries.map(({ task }) => task)
  const steps = shown.entries.flatMap((entry) => entry.steps)
  return { ...fieldsOf(listing, tasks, steps, undefined), kind, query, listing, shown }
}

function fieldsOf(
  { current, openTasks, openSteps, found }: Listing,
  tasks: readonly TaskRow[],
  steps: readonly StepRow[],
  next: StepRow | undefined,
) {
  return {
    current_task: current ?? null,
    next_step: next?.id ?? null,
    open_tasks: openTasks,
    open_steps: openSteps,
    found,
    tasks: tasks.map(taskFields),
    steps: steps.map(stepFields),
  }
}

function taskFields({ id, name, completedAt, steps, stepsDone }: TaskRow) {
  return { task_id: id, name: oneLine(name, MAX_NAME), done: completedAt !== null, steps, steps_done: stepsDone }
}

function stepFields({ id, taskId, text, completedAt }: StepRow) {
  return { step_id: id, task_id: taskId, text: oneLine(text, MAX_STEP), done: completedAt !== null }
}

interface Shown {
  readonly entries: readonly Entry[]
  /** The first step of the last task shown that did not fit. */
  readonly cutAt: StepRow | undefined
}

function withinBudget(entries: readonly Entry[]): Shown {
  let left = BUDGET
  const pay = (line: string, fields: object): boolean => {
    left -= Buffer.byteLength(JSON.stringify(line)) + Buffer.byteLength(JSON.stringify(fields)) + 2
    return left >= 0
  }
  const shown: Entry[] = []
  for (const { task, steps } of entries) {
    if (!pay(taskLine(task, undefined), taskFields(task))) return { entries: shown, cutAt: undefined }
    const fitting = steps.findIndex((step) => !pay(stepLine(step), stepFields(step)))
    if (fitting === -1) shown.push({ task, steps })
    else return { entries: [...shown, { task, steps: steps.slice(0, fitting) }], cutAt: steps[fitting] }
  }
  return { entries: shown, cutAt: undefined }
}
