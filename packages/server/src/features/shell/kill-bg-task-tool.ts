// The KillBgTask tool: kills the process tree of a background job. Registered in tool-list.ts. Signals processes
// through the job service.

import { defineToolWith } from '@scorpiox/mcp/definitions/tool'
import { resultData } from '../../text/result-data.js'
import { formatProcesses } from './format-command-result.js'
import { describeJobEnd, jobStatus } from './format-job.js'
import type { ShellService } from './shell-service.js'

export const killBgTask = defineToolWith<{ shell: ShellService }>()({
  name: 'KillBgTask',
  title: 'End a background task',
  description: `Kill a running background task by ID
With everything it started.`,
  hints: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
  services: ['shell'],

  input: {
    type: 'object',
    properties: { task_id: { type: 'integer', description: 'The task ID to kill' } },
    required: ['task_id'],
  },

  async run({ task_id: id }, { user, session }, { shell }) {
    const jobs = await shell.jobs()
    const killed = await jobs.kill(id, { user, session })
    return { ...jobStatus(killed.job), ...killed }
  },

  format({ job, wasRunning, survivors }) {
    const unkilledText = `could not be killed: ${formatProcesses(survivors)}.`
    if (!wasRunning) {
      const ended = `Background task ${job.id} had already ended: ${describeJobEnd(job)}.`
      return survivors.length === 0
        ? `${ended} Nothing that it started still runs.`
        : `${ended} Something that it started ${unkilledText}`
    }
    const extent =
      survivors.length === 0 ? 'with everything it started.' : `but something that it started ${unkilledText}`
    return `Background task ${job.id} was ended, ${extent} ReadBgOutput(task_id: ${job.id}) still gives what it printed.`
  },

  meta: resultData('task_id', 'status', 'command', 'runtimeMs', 'exitCode', 'signal'),
})
