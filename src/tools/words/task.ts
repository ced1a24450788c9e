// What TaskManager says: what was changed, what is next, how many remain; of a long list, how to see the rest.

import { oneLine } from '../../lib/one-line.js'
import type { Change, Entry } from '../../services/tasks/tasks.js'
import type { StepRow } from '../../store/state/task-rows.js'
import type { Changed, Listed } from './task-answer.js'
import { MAX_NAME, progressOf, stepLine, stepTitled, taskLine, titled } from './task-lines.js'
import { count, plural } from './words.js'

export function changeWords({ action, change }: Changed): string {
  const { task, step, next, openTasks } = change
  const title = titled(task)
  if (action === 'create')
    return `Created ${title}: it is the current task. Add its steps with add. ${openCount(openTasks)}`
  if (action === 'switch') return `The current task is now ${title}, ${progressOf(task)}.${nextWords(next)}`
  if (action === 'add' && step) {
    const after = next && next.id !== step.id ? nextWords(next) : ''
    return `Added ${stepTitled(step)} to ${title}, ${progressOf(task)}.${after}`
  }
  if (!step) return taskDoneWords(change)
  if (!next)
    return `Completed ${stepTitled(step)}: every step of ${title} is done.${
      task.completedAt === null ? ` Complete the task too: complete (task_id: ${task.id}).` : ''
    }`
  const remaining = task.steps - task.stepsDone
  return `Completed ${stepTitled(step)} of ${title}.${nextWords(next)} ${count(remaining)} of ${plural(task.steps, 'step', 'steps')} ${remaining === 1 ? 'remains' : 'remain'}.`
}

function taskDoneWords({ task, nextTask, openTasks }: Change): string {
  const undone = task.steps - task.stepsDone
  const left = undone === 0 ? '' : ` ${plural(undone, 'of its steps was', 'of its steps were')} not done.`
  const onward = nextTask ? ` Go on with ${titled(nextTask)}: switch (task_id: ${nextTask.id}).` : ''
  return `Completed ${titled(task)}.${left} ${openCount(openTasks)}${onward}`
}

export function listingWords(answer: Listed): string {
  const { shown, listing } = answer
  const linesOf = ({ task, steps }: Entry): string =>
    [taskLine(task, listing.current), ...steps.map(stepLine)].join('\n')
  return [...headline(answer), ...shown.entries.map(linesOf), ...closingLines(answer)].join('\n')
}

function headline({ kind, query, listing }: Listed): readonly string[] {
  const { found, openTasks, openSteps } = listing
  if (kind === 'show') return []
  const which = query.trim() === '' ? '' : ` for ${JSON.stringify(oneLine(query, MAX_NAME))}`
  if (kind === 'list') {
    if (which !== '') return [`${plural(found, 'task', 'tasks')} found${which}.`]
    return [
      found === 0
        ? 'There are no tasks yet: create makes one.'
        : `${plural(found, 'task', 'tasks')}, ${count(openTasks)} open.`,
    ]
  }
  if (openTasks === 0) return ['Nothing is pending: no task is open.']
  const toDo = `${plural(openSteps, 'step', 'steps')} to do in ${plural(openTasks, 'open task', 'open tasks')}`
  return [which === '' ? `${toDo}.` : `${plural(found, 'open task', 'open tasks')} found${which}; ${toDo} in all.`]
}

function closingLines({ kind, query, listing, shown }: Listed): readonly string[] {
  const { entries, cutAt } = shown
  const steps = cutAt
    ? [`More steps of task ${cutAt.taskId}: list (task_id: ${cutAt.taskId}, step_id: ${cutAt.id}).`]
    : []
  const rest = listing.found - entries.length
  if (kind === 'show' || rest <= 0) return steps
  // What is pending begins with the current task, whatever its number.
  const inOrder = kind === 'list' || entries.length === 1 ? entries : entries.slice(1)
  const onward =
    `${query.replaceAll(/\bbefore:\d+/gi, '').trim()} before:${Math.min(...inOrder.map(({ task }) => task.id))}`.trim()
  return [
    ...steps,
    `${count(rest)} more: query ${JSON.stringify(onward)} shows older ones, words in query narrow it down.`,
  ]
}

function nextWords(next: StepRow | undefined): string {
  return next ? ` Next: ${stepTitled(next)}.` : ''
}

function openCount(openTasks: number): string {
  return openTasks === 0 ? 'No task is open.' : `${plural(openTasks, 'task is', 'tasks are')} open.`
}
