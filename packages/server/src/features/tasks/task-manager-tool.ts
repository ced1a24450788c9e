// Declarations of the TaskManager tool and of the resource that lists the open tasks. Registered in tool-list.ts. No I/O of
// its own.

import { defineResourceWith } from '@scorpiox/mcp/definitions/resource'
import { defineToolWith } from '@scorpiox/mcp/definitions/tool'
import type { TaskService } from './task-service.js'

export const TASK_ACTIONS = ['create', 'add', 'complete', 'list', 'pending', 'switch'] as const

export const taskManager = defineToolWith<{ tasks: TaskService }>()({
  name: 'TaskManager',
  title: 'Keep tasks and steps',
  description: `Manage persistent tasks with create/add/complete
create: a task with text and steps; becomes the default task_id. add: text or steps. complete: step_id, else the task. list, pending (open only): with task_id its steps. switch: task_id or query. query: words, is:open, is:done.`,
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  ui: { resourceUri: 'ui://scorpiox-code/tasks' },
  services: ['tasks'],

  input: {
    type: 'object',
    properties: {
      action: { type: 'string', description: `Action: ${TASK_ACTIONS.join(', ')}` },
      query: { type: 'string', description: 'The search query' },
      task_id: { type: 'integer', description: 'Task ID' },
      step_id: { type: 'integer', description: 'Step ID' },
      text: { type: 'string', description: 'Task name or step text' },
      steps: { type: 'array', items: { type: 'string' } },
    },
    required: ['action', 'query'],
  },
  defaultArguments: { query: '' },

  load: async () => (await import('./task-manager-handler.js')).taskManagerHandler,
})

export const TASKS_URI = 'scorpiox://tasks'

/** The open tasks of a user as a resource, with their open steps. Subscribers are notified of every change. */
export const taskResource = defineResourceWith<{ tasks: TaskService }>()({
  uri: TASKS_URI,
  name: 'tasks',
  description: 'Your open tasks in this project with their open steps, the current task first.',
  mimeType: 'text/plain',
  services: ['tasks'],
  watch: ({ tasks }, user) => tasks.watch(user),
  async read({ user }, { tasks }) {
    const { formatTaskList, toTaskListResult } = await import('./task-manager-handler.js')
    return formatTaskList(toTaskListResult('pending', '', await tasks.pending(user, '')))
  },
})
