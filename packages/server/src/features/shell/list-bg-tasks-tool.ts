// The ListBgTasks tool: lists the background jobs of this user in this project. Registered in tool-list.ts. Reads
// through the job service.

import { defineToolWith } from '@scorpiox/mcp/definitions/tool'
import { formatCount, formatDuration } from '../../text/format.js'
import { resultData } from '../../text/result-data.js'
import type { JobUsage } from './job-usage.js'
import { formatJobSummary, jobStatus } from './format-job.js'
import type { ShellService } from './shell-service.js'

const MAX_LISTED = 50

export const listBgTasks = defineToolWith<{ shell: ShellService }>()({
  name: 'ListBgTasks',
  title: 'List jobs',
  description: `List all background tasks with status and runtime
details adds ports, CPU, memory.`,
  hints: { readOnly: true, destructive: false, openWorld: false },
  services: ['shell'],

  input: { type: 'object', properties: { details: { type: 'boolean' } }, required: [] },

  async run({ details = false }, { user, session }, { shell }) {
    const jobs = await shell.jobs()
    const all = await jobs.list({ user, session })
    // All running jobs, and the newest of the others.
    const ended = all.filter(({ isRunning }) => !isRunning)
    const shownEnded = new Set(ended.slice(-Math.max(MAX_LISTED - (all.length - ended.length), 10)))
    const shown = all.filter((job) => job.isRunning || shownEnded.has(job))
    const usage = details ? (await import('./job-usage.js')).readJobUsage(shown) : undefined
    return {
      tasks: shown.map((job) => ({ ...jobStatus(job), ...usage?.get(job) })),
      more: all.length - shown.length,
      shown,
      usage,
    }
  },

  format({ shown, more, usage }) {
    if (shown.length === 0) return 'No jobs.'
    const older = more === 0 ? [] : [`[${formatCount(more, 'older ended job is', 'older ended jobs are')} not shown.]`]
    const lines = shown.map((job) => `${formatJobSummary(job)}${formatUsage(usage?.get(job))}`)
    return [...lines, ...older].join('\n')
  },

  meta: resultData('tasks', 'more'),
})

/** On a line of its own. */
function formatUsage(usage: JobUsage | undefined): string {
  if (!usage) return ''
  const { ports, hasOwnNetwork, processorMs, memoryBytes, processes } = usage
  const network = hasOwnNetwork ? ' in a separate network' : ''
  const listening =
    ports.length === 0
      ? 'listens on no port'
      : `listens on port${ports.length === 1 ? '' : 's'} ${ports.join(', ')}${network}`
  const megabytes = (memoryBytes / 1024 / 1024).toFixed(1)
  return `\n   ${listening}, ${formatDuration(processorMs)} of processor time, ${megabytes} MB in ${formatCount(processes, 'process', 'processes')}`
}
