// The ListBgTasks tool: lists the background jobs of this user in this project. Registered in tool-list.ts.

import { defineToolWith } from '@scorpiox/mcp/definitions/tool'
import { formatCount } from '../../text/format.js'
import { resultData } from '../../text/result-data.js'
import { formatJobSummary, jobStatus } from './format-job.js'
import type { ShellService } from './shell-service.js'

const MAX_LISTED = 50

export const listBgTasks = defineToolWith<{ shell: ShellService }>()({
  name: 'ListBgTasks',
  title: 'List background tasks',
  description: 'List all background tasks with status and runtime',
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  services: ['shell'],

  input: { type: 'object', properties: {} },

  async run(_input, { user, session }, { shell }) {
    const jobs = await shell.jobs()
    const all = await jobs.list({ user, session })
    // All running jobs, and the newest of the others.
    const ended = all.filter(({ isRunning }) => !isRunning)
    const shownEnded = new Set(ended.slice(-Math.max(MAX_LISTED - (all.length - ended.length), 10)))
    const shown = all.filter((job) => job.isRunning || shownEnded.has(job))
    return { tasks: shown.map(jobStatus), more: all.length - shown.length, shown }
  },

  format({ shown, more }) {
    if (shown.length === 0) return 'No background tasks.'
    const older =
      more === 0
        ? []
        : [
            `[${formatCount(more, 'older one has', 'older ones have')} ended and ${more === 1 ? 'is' : 'are'} not shown.]`,
          ]
    return [...shown.map(formatJobSummary), ...older].join('\n')
  },

  meta: resultData('tasks', 'more'),
})
