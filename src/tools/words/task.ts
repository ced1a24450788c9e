import { oneLine } from '../../lib/one-line.js'
import { readOn } from '../../services/tasks/search.js'
import type { Change, Entry } from '../../services/tasks/tasks.js'
import type { StepRow } from '../../store/state/task-rows.js'
import type { Changed, Listed } from './task-answer.js'
import { MAX_NAME, progressOf, stepLine, stepTitled, taskLine, titled } from './task-lines.js'
import { count, plural } from './words.js'

/** Maximum bytes of a query that is repeated in the text. */
const MAX_REPEATED_QUERY = 400
const NOTHING_FOUND = ' Every word must occur in a task or its steps: use fewer, or an empty query for all tasks.'

export function changeWords(result: Changed): string {
  const { action, change } = result
  const { task, steps, next } = change
  const title = titled(task)
  if (action === 'create') return formatCreated(result)
  if (action === 'switch') return `The current task is now ${title}, ${progressOf(task)}.${formatNextStep(next)}`
  if (action === 'add') return formatAdded(result)
  const [step] = steps
  if (!step) return formatTaskDone(change)
  if (!next)
    return `Completed ${stepTitled(step)}: every step of ${title} is done.${
      task.completedAt === null ? ` Complete the task too: complete (task_id: ${task.id}).` : ''
    }`
  const remaining = task.steps - task.stepsDone
  return `Completed ${stepTitled(step)} of ${title}.${formatNextStep(next)} ${count(remaining)} of ${plural(task.steps, 'step', 'steps')} ${remaining === 1 ? 'remains' : 'remain'}.`
}

function formatCreated(result: Changed): string {
  const { task, steps, openTasks } = result.change
  const open = formatOpenCount(openTasks)
  if (steps.length === 0) return `Created ${titled(task)}: it is the current task. Add its steps with add. ${open}`
  const head = `Created ${titled(task)} with ${plural(steps.length, 'step', 'steps')}: it is the current task. ${open}`
  return [head, ...formatAddedSteps(result)].join('\n')
}

function formatAdded(result: Changed): string {
  const { task, steps, next } = result.change
  const [first] = steps
  const after = next && next.id !== first?.id ? formatNextStep(next) : ''
  const what = first && steps.length === 1 ? stepTitled(first) : plural(steps.length, 'step', 'steps')
  const head = `Added ${what} to ${titled(task)}, ${progressOf(task)}.${after}`
  return steps.length === 1 ? head : [head, ...formatAddedSteps(result)].join('\n')
}

function formatAddedSteps({ change, shownSteps }: Changed): readonly string[] {
  const rest = change.steps.length - shownSteps.length
  const lines = shownSteps.map(stepLine)
  return rest === 0 ? lines : [...lines, `${count(rest)} more: list (task_id: ${change.task.id}).`]
}

function formatTaskDone({ task, nextTask, current, openTasks }: Change): string {
  const undone = task.steps - task.stepsDone
  const undoneText = undone === 0 ? '' : ` ${plural(undone, 'of its steps was', 'of its steps were')} not done.`
  const how = nextTask?.id === current ? ', the current one' : `: switch (task_id: ${nextTask?.id})`
  const nextQuery = nextTask ? ` Go on with ${titled(nextTask)}${how}.` : ''
  return `Completed ${titled(task)}.${undoneText} ${formatOpenCount(openTasks)}${nextQuery}`
}

export function listingWords(result: Listed): string {
  const { shown, listing } = result
  const linesOf = ({ task, steps }: Entry): string =>
    [taskLine(task, listing.current), ...steps.map(stepLine)].join('\n')
  return [...formatHeadline(result), ...shown.entries.map(linesOf), ...formatClosing(result)].join('\n')
}

function formatHeadline({ kind, query, listing }: Listed): readonly string[] {
  const { found, openTasks, openSteps } = listing
  if (kind === 'show') return []
  if (kind === 'remaining') return listing.entries.every(({ steps }) => steps.length > 0) ? [] : ['No open steps.']
  const which = query.trim() === '' ? '' : ` for ${JSON.stringify(oneLine(query, MAX_NAME))}`
  if (kind === 'list') {
    if (which !== '') return [`${plural(found, 'task', 'tasks')} found${which}.${found === 0 ? NOTHING_FOUND : ''}`]
    return [
      found === 0
        ? 'There are no tasks yet: create makes one.'
        : `${plural(found, 'task', 'tasks')}, ${count(openTasks)} open.`,
    ]
  }
  if (openTasks === 0) return ['Nothing is pending: no task is open.']
  const toDo = `${plural(openSteps, 'step', 'steps')} to do in ${plural(openTasks, 'open task', 'open tasks')}`
  return [
    which === ''
      ? `${toDo}.`
      : `${plural(found, 'open task', 'open tasks')} found${which}; ${toDo} in all.${found === 0 ? NOTHING_FOUND : ''}`,
  ]
}

function formatClosing({ kind, query, listing, shown }: Listed): readonly string[] {
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
    `${count(rest)} more: ${formatNextPage(query, nextPageFilters(kind, entries))}, words in query narrow it down.`,
  ]
}

/** `pending` begins with the current task, whose id may be smaller than those that follow. */
function nextPageFilters(kind: Listed['kind'], entries: readonly Entry[]): string {
  const [first = 0, ...others] = entries.map(({ task }) => task.id)
  const last = others.at(-1)
  if (kind === 'list' || (last !== undefined && first > last)) return `before:${last ?? first}`
  return last === undefined ? `not:${first}` : `before:${last} not:${first}`
}

function formatNextPage(query: string, filters: string): string {
  const nextQuery = JSON.stringify(readOn(query, filters))
  return Buffer.byteLength(JSON.stringify(nextQuery)) <= MAX_REPEATED_QUERY
    ? `query ${nextQuery} shows the next ones`
    : `add ${filters} to the query for the next ones`
}

function formatNextStep(next: StepRow | undefined): string {
  return next ? ` Next: ${stepTitled(next)}.` : ''
}

function formatOpenCount(openTasks: number): string {
  return openTasks === 0 ? 'No task is open.' : `${plural(openTasks, 'task is', 'tasks are')} open.`
}
