import type { Tasks } from '../services/tasks/tasks.js'
import { TASKS_URI } from '../services/tasks/uri.js'
import { resourcesOver } from './resource.js'
import { listingSaid } from './words/task-answer.js'
import { listingWords } from './words/task.js'

export const taskList = resourcesOver<{ tasks: Tasks }>()({
  uri: TASKS_URI,
  name: 'tasks',
  description: 'Your open tasks in this project with the steps that are left, the current one first.',
  mimeType: 'text/plain',
  needs: ['tasks'],
  watch: ({ tasks }, user) => tasks.watch(user),
  read: async ({ user }, { tasks }) => listingWords(listingSaid('pending', '', await tasks.pending(user, ''))),
})
