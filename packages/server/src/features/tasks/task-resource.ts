// The open tasks of a user as a resource, with their open steps. Subscribers are notified of every change.

import { defineResourceWith } from '@scorpiox/mcp/definitions/resource'
import type { TaskService } from './task-service.js'

export const TASKS_URI = 'scorpiox://tasks'

export const taskResource = defineResourceWith<{ tasks: TaskService }>()({
  uri: TASKS_URI,
  name: 'tasks',
  description: 'Your open tasks in this project with the steps that are left, the current one first.',
  mimeType: 'text/plain',
  services: ['tasks'],
  watch: ({ tasks }, user) => tasks.watch(user),
  async read({ user }, { tasks }) {
    const { formatTaskList, toTaskListResult } = await import('./task-manager-handler.js')
    return formatTaskList(toTaskListResult('pending', '', await tasks.pending(user, '')))
  },
})
