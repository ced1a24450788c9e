import { oneLine } from '../../lib/one-line.js'
import type { Change, Entry, Listing } from '../../services/tasks/tasks.js'
import type { StepRow, TaskRow } from '../../store/state/task-rows.js'
import { MAX_NAME, MAX_STEP, stepLine, taskLine } from './task-lines.js'

/** Bytes of lines and fields together; the rest of a result takes less than 1 KB. */
const MAX_RESULT_BYTES = 6500

type ResultFields = ReturnType<typeof toFields>
export type Changed = ResultFields & {
  readonly change: Change
  readonly action: 'create' | 'add' | 'complete' | 'switch'
  /** As many of the changed steps as fit. */
  readonly shownSteps: readonly StepRow[]
}
export type Listed = ResultFields & {
  readonly listing: Listing
  /** `show`: one task with all steps. `remaining`: one task with its open steps. */
  readonly kind: 'list' | 'pending' | 'show' | 'remaining'
  readonly query: string
  readonly shown: ShownEntries
}
export type Answer = Changed | Listed

export function changeSaid(action: Changed['action'], change: Change): Changed {
  const { task, steps, next, current, openTasks, openSteps } = change
  const listing = { entries: [], current, found: 1, openTasks, openSteps }
  const shownSteps = withinBudget([{ task, steps }]).entries.flatMap((entry) => entry.steps)
  return { ...toFields(listing, [task], shownSteps, next), action, change, shownSteps }
}

export function listingSaid(kind: Listed['kind'], query: string, listing: Listing): Listed {
  const shown = withinBudget(listing.entries)
  const tasks = shown.entries.map(({ task }) => task)
  const steps = shown.entries.flatMap((entry) => entry.steps)
  return { ...toFields(listing, tasks, steps, undefined), kind, query, listing, shown }
}

function toFields(
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

interface ShownEntries {
  readonly entries: readonly Entry[]
  /** The first step of the last task shown that did not fit. */
  readonly cutAt: StepRow | undefined
}

function withinBudget(entries: readonly Entry[]): ShownEntries {
  let remaining = MAX_RESULT_BYTES
  const charge = (line: string, fields: object): boolean => {
    remaining -= Buffer.byteLength(JSON.stringify(line)) + Buffer.byteLength(JSON.stringify(fields)) + 2
    return remaining >= 0
  }
  const shown: Entry[] = []
  for (const { task, steps } of entries) {
    if (!charge(taskLine(task, undefined), taskFields(task))) return { entries: shown, cutAt: undefined }
    const firstOmitted = steps.findIndex((step) => !charge(stepLine(step), stepFields(step)))
    if (firstOmitted === -1) shown.push({ task, steps })
    else return { entries: [...shown, { task, steps: steps.slice(0, firstOmitted) }], cutAt: steps[firstOmitted] }
  }
  return { entries: shown, cutAt: undefined }
}
