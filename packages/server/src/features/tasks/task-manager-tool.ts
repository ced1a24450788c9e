// The TaskManager tool: tasks and steps of a project.

import { defineToolWith } from '@scorpiox/mcp/definitions/tool'
import { Failure } from '@scorpiox/mcp/errors'
import { resultData } from '../../result-data.js'
import { toSingleLine } from '../../text/single-line.js'
import {
  formatTaskChange,
  formatTaskList,
  type TaskManagerResult,
  toTaskChangeResult,
  toTaskListResult,
} from './format-tasks.js'
import type { TaskService, TaskStepFilter } from './task-service.js'

const ACTIONS = ['create', 'add', 'complete', 'list', 'pending', 'switch'] as const

export const taskManager = defineToolWith<{ tasks: TaskService }>()({
  name: 'TaskManager',
  title: 'Keep tasks and steps',
  description: `Manage persistent tasks with create/add/complete
create: a task of text and steps; it becomes current, the default of task_id. add: text or steps. complete: step_id, else the task. list, pending (open only): with task_id its steps. switch: task_id or query. query: words to find, is:open, is:done.`,
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  services: ['tasks'],

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
  defaultArguments: { query: '' },

  async run(
    { action, query, task_id: taskId, step_id: stepId, text = '', steps = [] },
    { user },
    { tasks },
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
        throw new Failure(`There is no action ${JSON.stringify(action.slice(0, 40))}. Valid: ${ACTIONS.join(', ')}.`)
    }
  },

  format: (result) => ('change' in result ? formatTaskChange(result) : formatTaskList(result)),

  meta: resultData('current_task', 'next_step', 'open_tasks', 'open_steps', 'found', 'tasks', 'steps'),
})

/** A single text comes before the steps of the list. Without either, the empty text is reported as missing. */
function addedSteps(text: string, steps: readonly string[]): readonly string[] {
  return text.trim() === '' && steps.length > 0 ? steps : [text, ...steps]
}
