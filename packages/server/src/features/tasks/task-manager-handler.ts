// Handler of the tool TaskManager: runs an action on the task service and formats its result. Loaded by the first call, and
// by the task resource, which shows the same list. The size is bounded: what does not fit is counted, with the query of the
// next page. No I/O of its own.

import type { CallContext } from '@scorpiox/mcp/definitions/call-context'
import { Failure } from '@scorpiox/mcp/errors'
import { formatCount, formatNumber, toSingleLine } from '../../text/format.js'
import { resultData } from '../../text/result-data.js'
import { TASK_ACTIONS } from './task-manager-tool.js'
import { nextPageQuery } from './task-query.js'
import type { ChangedTask, TaskEntry, TaskListing, TaskService, TaskStepFilter } from './task-service.js'
import type { StepRow, TaskRow } from './task-table.js'

interface TaskManagerInput {
  readonly action: string
  readonly query: string
  readonly task_id?: number | undefined
  readonly step_id?: number | undefined
  readonly text?: string | undefined
  readonly steps?: readonly string[] | undefined
}

export const taskManagerHandler = {
  run: runTaskManager,
  format: (result: TaskManagerResult) => ('change' in result ? formatTaskChange(result) : formatTaskList(result)),
  meta: resultData('current_task', 'next_step', 'open_tasks', 'open_steps', 'found', 'tasks', 'steps'),
}

async function runTaskManager(
  { action, query, task_id: taskId, step_id: stepId, text = '', steps = [] }: TaskManagerInput,
  { user }: CallContext,
  { tasks }: { readonly tasks: TaskService },
): Promise<TaskManagerResult> {
  const content = text.trim() === '' ? query : text
  const stepFilter = (onlyOpen: boolean): TaskStepFilter => ({ from: stepId, onlyOpen })
  if (steps.length > 0 && action !== 'create' && action !== 'add')
    throw new Failure(`steps goes with create and add, not with ${toSingleLine(action, 40)}. Nothing was changed.`)
  switch (action) {
    case 'create':
      return toTaskChangeResult('create', await tasks.create(user, content, steps))
    case 'add':
      return toTaskChangeResult('add', await tasks.add(user, addedSteps(content, steps), taskId))
    case 'complete':
      return stepId === undefined
        ? toTaskChangeResult('complete', await tasks.complete(user, taskId))
        : toTaskChangeResult('complete', await tasks.completeStep(user, stepId, taskId))
    case 'switch':
      return toTaskChangeResult('switch', await tasks.switchTo(user, taskId ?? (query.trim() === '' ? text : query)))
    case 'list':
      if (taskId !== undefined)
        return toTaskListResult('show', query, await tasks.show(user, taskId, stepFilter(false)))
      return toTaskListResult('list', query, await tasks.list(user, query))
    case 'pending':
      if (taskId !== undefined)
        return toTaskListResult('remaining', query, await tasks.show(user, taskId, stepFilter(true)))
      return toTaskListResult('pending', query, await tasks.pending(user, query))
    default:
      throw new Failure(`There is no action ${JSON.stringify(action.slice(0, 40))}. Valid: ${TASK_ACTIONS.join(', ')}.`)
  }
}

/** A single text comes before the steps of the list. Without either, the empty text is reported as missing. */
function addedSteps(text: string, steps: readonly string[]): readonly string[] {
  return text.trim() === '' && steps.length > 0 ? steps : [text, ...steps]
}

const MAX_SHOWN_NAME = 100
const MAX_SHOWN_STEP = 160

function formatTaskListItem(task: TaskRow, current: number | undefined): string {
  return `${task.id === current ? '*' : ' '} ${task.id}  ${toSingleLine(task.name, MAX_SHOWN_NAME)}  (${task.id === current ? 'current, ' : ''}${formatTaskProgress(task)})`
}

function formatStepListItem({ id, text, completedAt }: StepRow): string {
  return `      ${completedAt === null ? '[ ]' : '[x]'} ${id}  ${toSingleLine(text, MAX_SHOWN_STEP)}`
}

function formatTaskProgress({ completedAt, steps, stepsDone }: TaskRow): string {
  if (completedAt !== null) return 'complete'
  return steps === 0 ? 'no steps yet' : `${formatNumber(stepsDone)} of ${formatCount(steps, 'step', 'steps')} done`
}

function quoteTask({ id, name }: TaskRow): string {
  return `task ${id} "${toSingleLine(name, MAX_SHOWN_NAME)}"`
}

function quoteStep({ id, text }: StepRow): string {
  return `step ${id} "${toSingleLine(text, MAX_SHOWN_STEP)}"`
}

/** Bytes of lines and fields together; the rest of a result takes less than 1 KB. */
const MAX_RESULT_BYTES = 6500

type ResultFields = ReturnType<typeof toFields>
type TaskChangeResult = ResultFields & {
  readonly change: ChangedTask
  readonly action: 'create' | 'add' | 'complete' | 'switch'
  /** As many of the changed steps as fit. */
  readonly shownSteps: readonly StepRow[]
}
type TaskListResult = ResultFields & {
  readonly listing: TaskListing
  /** `show`: one task with all steps. `remaining`: one task with its open steps. */
  readonly kind: 'list' | 'pending' | 'show' | 'remaining'
  readonly query: string
  readonly shown: ShownEntries
}
type TaskManagerResult = TaskChangeResult | TaskListResult

function toTaskChangeResult(action: TaskChangeResult['action'], change: ChangedTask): TaskChangeResult {
  const { task, steps, next, current, openTasks, openSteps } = change
  const listing = { entries: [], current, found: 1, hasUncounted: false, openTasks, openSteps }
  const shownSteps = withinBudget([{ task, steps }]).entries.flatMap((entry) => entry.steps)
  return { ...toFields(listing, [task], shownSteps, next), action, change, shownSteps }
}

export function toTaskListResult(kind: TaskListResult['kind'], query: string, listing: TaskListing): TaskListResult {
  const shown = withinBudget(listing.entries)
  const tasks = shown.entries.map(({ task }) => task)
  const steps = shown.entries.flatMap((entry) => entry.steps)
  return { ...toFields(listing, tasks, steps, undefined), kind, query, listing, shown }
}

function toFields(
  { current, openTasks, openSteps, found }: TaskListing,
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
  return {
    task_id: id,
    name: toSingleLine(name, MAX_SHOWN_NAME),
    done: completedAt !== null,
    steps,
    steps_done: stepsDone,
  }
}

function stepFields({ id, taskId, text, completedAt }: StepRow) {
  return { step_id: id, task_id: taskId, text: toSingleLine(text, MAX_SHOWN_STEP), done: completedAt !== null }
}

interface ShownEntries {
  readonly entries: readonly TaskEntry[]
  /** The first step of the last task shown that did not fit. */
  readonly cutAt: StepRow | undefined
}

function withinBudget(entries: readonly TaskEntry[]): ShownEntries {
  let remaining = MAX_RESULT_BYTES
  const charge = (line: string, fields: object): boolean => {
    remaining -= Buffer.byteLength(JSON.stringify(line)) + Buffer.byteLength(JSON.stringify(fields)) + 2
    return remaining >= 0
  }
  const shown: TaskEntry[] = []
  for (const { task, steps } of entries) {
    if (!charge(formatTaskListItem(task, undefined), taskFields(task))) return { entries: shown, cutAt: undefined }
    const firstOmitted = steps.findIndex((step) => !charge(formatStepListItem(step), stepFields(step)))
    if (firstOmitted === -1) shown.push({ task, steps })
    else return { entries: [...shown, { task, steps: steps.slice(0, firstOmitted) }], cutAt: steps[firstOmitted] }
  }
  return { entries: shown, cutAt: undefined }
}

/** Maximum bytes of a query that is repeated in the text. */
const MAX_REPEATED_QUERY = 400
const NOTHING_FOUND = ' Every word must occur in a task or its steps: use fewer, or an empty query for all tasks.'

function formatTaskChange(result: TaskChangeResult): string {
  const { action, change } = result
  const { task, steps, next } = change
  const title = quoteTask(task)
  if (action === 'create') return formatCreated(result)
  if (action === 'switch')
    return `The current task is now ${title}, ${formatTaskProgress(task)}.${formatNextStep(next)}`
  if (action === 'add') return formatAdded(result)
  const [step] = steps
  if (!step) return formatTaskDone(change)
  if (!next)
    return `Completed ${quoteStep(step)}: every step of ${title} is done.${
      task.completedAt === null ? ` Complete the task too: complete (task_id: ${task.id}).` : ''
    }`
  const remaining = task.steps - task.stepsDone
  return `Completed ${quoteStep(step)} of ${title}.${formatNextStep(next)} ${formatNumber(remaining)} of ${formatCount(task.steps, 'step', 'steps')} ${remaining === 1 ? 'remains' : 'remain'}.`
}

function formatCreated(result: TaskChangeResult): string {
  const { task, steps, openTasks } = result.change
  const open = formatOpenCount(openTasks)
  if (steps.length === 0) return `Created ${quoteTask(task)}: it is the current task. Add its steps with add. ${open}`
  const head = `Created ${quoteTask(task)} with ${formatCount(steps.length, 'step', 'steps')}: it is the current task. ${open}`
  return [head, ...formatAddedSteps(result)].join('\n')
}

function formatAdded(result: TaskChangeResult): string {
  const { task, steps, next } = result.change
  const [first] = steps
  const after = next && next.id !== first?.id ? formatNextStep(next) : ''
  const what = first && steps.length === 1 ? quoteStep(first) : formatCount(steps.length, 'step', 'steps')
  const head = `Added ${what} to ${quoteTask(task)}, ${formatTaskProgress(task)}.${after}`
  return steps.length === 1 ? head : [head, ...formatAddedSteps(result)].join('\n')
}

function formatAddedSteps({ change, shownSteps }: TaskChangeResult): readonly string[] {
  const rest = change.steps.length - shownSteps.length
  const lines = shownSteps.map(formatStepListItem)
  return rest === 0 ? lines : [...lines, `${formatNumber(rest)} more: list (task_id: ${change.task.id}).`]
}

function formatTaskDone({ task, nextTask, current, openTasks }: ChangedTask): string {
  const undone = task.steps - task.stepsDone
  const undoneText = undone === 0 ? '' : ` ${formatCount(undone, 'of its steps was', 'of its steps were')} not done.`
  const how = nextTask?.id === current ? ', the current one' : `: switch (task_id: ${nextTask?.id})`
  const nextQuery = nextTask ? ` Continue with ${quoteTask(nextTask)}${how}.` : ''
  return `Completed ${quoteTask(task)}.${undoneText} ${formatOpenCount(openTasks)}${nextQuery}`
}

export function formatTaskList(result: TaskListResult): string {
  const { shown, listing } = result
  const linesOf = ({ task, steps }: TaskEntry): string =>
    [formatTaskListItem(task, listing.current), ...steps.map(formatStepListItem)].join('\n')
  return [...formatHeadline(result), ...shown.entries.map(linesOf), ...formatClosing(result)].join('\n')
}

function formatHeadline({ kind, query, listing }: TaskListResult): readonly string[] {
  const { found, openTasks, openSteps } = listing
  if (kind === 'show') return []
  if (kind === 'remaining') return listing.entries.every(({ steps }) => steps.length > 0) ? [] : ['No open steps.']
  const which = query.trim() === '' ? '' : ` for ${JSON.stringify(toSingleLine(query, MAX_SHOWN_NAME))}`
  if (kind === 'list') {
    if (which !== '') return [`${formatFound(listing, 'task')} found${which}.${found === 0 ? NOTHING_FOUND : ''}`]
    return [
      found === 0
        ? 'There are no tasks yet. Add one with create.'
        : `${formatFound(listing, 'task')}, ${formatNumber(openTasks)} open.`,
    ]
  }
  if (openTasks === 0) return ['Nothing is pending: no task is open.']
  const toDo = `${formatCount(openSteps, 'step', 'steps')} to do in ${formatCount(openTasks, 'open task', 'open tasks')}`
  return [
    which === ''
      ? `${toDo}.`
      : `${formatFound(listing, 'open task')} found${which}; ${toDo} in all.${found === 0 ? NOTHING_FOUND : ''}`,
  ]
}

function formatFound({ found, hasUncounted }: TaskListing, what: 'task' | 'open task'): string {
  return `${hasUncounted ? 'More than ' : ''}${formatCount(found, what, `${what}s`)}`
}

function formatClosing({ kind, query, listing, shown }: TaskListResult): readonly string[] {
  const { entries, cutAt } = shown
  const steps = cutAt
    ? [
        `More steps of task ${cutAt.taskId}: ${kind === 'show' ? 'list' : 'pending'} (task_id: ${cutAt.taskId}, step_id: ${cutAt.id}).`,
      ]
    : []
  const rest = listing.found - entries.length
  if (kind === 'show' || kind === 'remaining' || rest <= 0) return steps
  return [
    ...steps,
    `${listing.hasUncounted ? 'There are' : formatNumber(rest)} more: ${formatNextPage(query, nextPageFilters(kind, entries))}, words in query narrow it down.`,
  ]
}

/** `pending` begins with the current task, whose place may be after those that follow. */
function nextPageFilters(kind: TaskListResult['kind'], entries: readonly TaskEntry[]): string {
  const [first, ...others] = entries.map(({ task }) => task)
  const last = others.at(-1)
  if (kind === 'list' || (first && last && first.place > last.place)) return `before:${(last ?? first)?.id ?? 0}`
  return last ? `before:${last.id} not:${first?.id}` : `not:${first?.id ?? 0}`
}

function formatNextPage(query: string, filters: string): string {
  const nextQuery = JSON.stringify(nextPageQuery(query, filters))
  return Buffer.byteLength(JSON.stringify(nextQuery)) <= MAX_REPEATED_QUERY
    ? `query ${nextQuery} shows the next ones`
    : `add ${filters} to the query for the next ones`
}

function formatNextStep(next: StepRow | undefined): string {
  return next ? ` Next: ${quoteStep(next)}.` : ''
}

function formatOpenCount(openTasks: number): string {
  return openTasks === 0 ? 'No task is open.' : `${formatCount(openTasks, 'task is', 'tasks are')} open.`
}
