// The TaskManager tool: tasks and steps of a project.

import { Failure } from '../lib/failure.js'
import { oneLine } from '../lib/one-line.js'
import type { StepsWanted, Tasks } from '../services/tasks/tasks.js'
import { resultData } from './result-data.js'
import { toolsOver } from './tool.js'
import { changeSaid, listingSaid, type Answer } from './words/task-answer.js'
import { changeWords, listingWords } from './words/task.js'

const ACTIONS = ['create', 'add', 'complete', 'list', 'pending', 'switch'] as const

export const taskManager = toolsOver<{ tasks: Tasks }>()({
  name: 'TaskManager',
  title: 'Keep tasks and steps',
  description: `Manage persistent tasks with create/add/complete
create: a task of text and steps; it becomes current, the default of task_id. add: text or steps. complete: step_id, else the task. list, pending (open only): with task_id its steps. switch: task_id or query. query: words to find, is:open, is:done.`,
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  needs: ['tasks'],

  input: {
    type: 'object',
    properties: {
      action: { type: 'string', description: `Action: ${ACTIONS.join(', ')}` },
      query: { type: 'string', description: 'The search query' },
      task_id: { type: 'integer', description: 'Task ID' },
      step_id: { type: 'integer', description: 'Step ID' },
      text: { type: 'string', description: 'Task name or step text' },
      steps: { type: 'array', items: { type: 'string' } },
    },
    required: ['action', 'query'],
  },
  assumed: { query: '' },

  async run(
    { action, query, task_id: taskId, step_id: stepId, text = '', steps = [] },
    { user },
    { tasks },
  ): Promise<Answer> {
    const content = text.trim() === '' ? query : text
    const stepFilter = (onlyOpen: boolean): StepsWanted => ({ from: stepId, onlyOpen })
    if (steps.length > 0 && action !== 'create' && action !== 'add')
      throw new Failure(`steps goes with create and add, not with ${oneLine(action, 40)}. Nothing was changed.`)
    switch (action) {
      case 'create':
        return changeSaid('create', await tasks.create(user, content, steps))
      case 'add':
        return changeSaid('add', await tasks.add(user, addedSteps(content, steps), taskId))
      case 'complete':
        return stepId === undefined
          ? changeSaid('complete', await tasks.complete(user, taskId))
          : changeSaid('complete', await tasks.completeStep(user, stepId, taskId))
      case 'switch':
        return changeSaid('switch', await tasks.switchTo(user, taskId ?? (query.trim() === '' ? text : query)))
      case 'list':
        if (taskId !== undefined) return listingSaid('show', query, await tasks.show(user, taskId, stepFilter(false)))
        return listingSaid('list', query, await tasks.list(user, query))
      case 'pending':
        if (taskId !== undefined)
          return listingSaid('remaining', query, await tasks.show(user, taskId, stepFilter(true)))
        return listingSaid('pending', query, await tasks.pending(user, query))
      default:
        throw new Failure(`There is no action ${JSON.stringify(action.slice(0, 40))}. Valid: ${ACTIONS.join(', ')}.`)
    }
  },

  render: (result) => ('change' in result ? changeWords(result) : listingWords(result)),

  meta: resultData('current_task', 'next_step', 'open_tasks', 'open_steps', 'found', 'tasks', 'steps'),
})

/** A single text comes before the steps of the list. Without either, the empty text is reported as missing. */
function addedSteps(text: string, steps: readonly string[]): readonly string[] {
  return text.trim() === '' && steps.length > 0 ? steps : [text, ...steps]
}
