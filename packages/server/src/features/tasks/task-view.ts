// What the view of TaskManager (MCP Apps) uses: a resource with the tasks for its board, and a tool that only views call,
// which creates, completes or reopens a task, completes a step, or makes a task the current one. Registered in tool-list.ts; both load their code with
// the first use. Reads and writes the database through the task service.

import { defineTemplateWith } from '@scorpiox/mcp/definitions/resource'
import { defineToolWith } from '@scorpiox/mcp/definitions/tool'
import type { TaskService } from './task-service.js'

export const taskViewData = defineTemplateWith<{ tasks: TaskService }>()({
  uriTemplate: 'ui://scorpiox-code/data/tasks{?query}',
  name: 'tasks of the board',
  mimeType: 'application/json',
  services: ['tasks'],
  async read({ query = '' }, { user }, { tasks }) {
    const { readTaskBoard } = await import('./task-view-handler.js')
    return JSON.stringify(await readTaskBoard(tasks, user, query))
  },
})

export const changeTaskInView = defineToolWith<{ tasks: TaskService }>()({
  name: 'ChangeTaskInView',
  title: 'Change a task',
  description: 'Changes a task of TaskManager. For the view in the chat.',
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  ui: { visibility: ['app'] },
  services: ['tasks'],

  input: {
    type: 'object',
    properties: {
      action: { type: 'string', enum: ['create', 'complete', 'reopen', 'switch'] },
      task_id: { type: 'integer', description: 'Not for create' },
      step_id: { type: 'integer', description: 'Completes this step instead of the task' },
      name: { type: 'string', description: 'Of the task to create' },
    },
    required: ['action'],
  },

  load: async () => (await import('./task-view-handler.js')).changeTaskInViewHandler,
})
