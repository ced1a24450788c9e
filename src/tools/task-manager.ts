// Keeps tasks and their steps for a project: what was changed, what is next, how many remain.

import { Failure } from '../lib/failure.js'
import type { Tasks } from '../services/tasks/tasks.js'
import { resultData } from './result-data.js'
import { toolsOver } from './tool.js'
import { changeSaid, listingSaid, type Answer } from './words/task-answer.js'
import { changeWords, listingWords } from './words/task.js'

const ACTIONS = ['create', 'add', 'complete', 'list', 'pending', 'switch'] as const

export const taskManager = toolsOver<{ tasks: Tasks }>()({
  name: 'TaskManager',
  title: 'Keep tasks and steps',
  description: `Manage persistent tasks with create/add/complete
create (text): a task, then the current one, which task_id defaults to. add (text): a step. complete: step_id, or the task without it. list, pending (what is left): tasks, with task_id one and its steps. switch: task_id or query. query searches ("" is all; every word must occur; is:open, is:done).`,
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
    },
    required: ['action', 'query'],
  },

  async run({ action, query, task_id: taskId, step_id: stepId, text = '' }, { user }, { tasks }): Promise<Answer> {
    const words = text.trim() === '' ? query : text
    switch (action) {
      case 'create':
        return changeSaid('create', await tasks.create(user, words))
      case 'add':
        return changeSaid('add', await tasks.add(user, words, taskId))
      case 'complete':
        return stepId === undefined
          ? changeSaid('complete', await tasks.complete(user, taskId))
          : changeSaid('complete', await tasks.completeStep(user, stepId, taskId))
      case 'switch':
        return changeSaid('switch', await tasks.switchTo(user, taskId ?? (query.trim() === '' ? text : query)))
      case 'list':
        if (taskId !== undefined) return listingSaid('show', query, await tasks.show(user, taskId, stepId))
        return listingSaid('list', query, await tasks.list(user, query))
      case 'pending':
        if (taskId !== undefined) return listingSaid('show', query, await tasks.show(user, taskId, stepId))
        return listingSaid('pending', query, await tasks.pending(user, query))
      default:
        throw new Failure(`There is no action ${JSON.stringify(action.slice(0, 40))}. Valid: ${ACTIONS.join(', ')}.`)
    }
  },

  render: (answer) => ('change' in answer ? changeWords(answer) : listingWords(answer)),

  meta: resultData('current_task', 'next_step', 'open_tasks', 'open_steps', 'found', 'tasks', 'steps'),
})
