// The KillBgTask tool: kills the process tree of a background job. Registered in tool-list.ts. Signals processes
// through the job service.

import { defineToolWith } from '@scorpiox/mcp/definitions/tool'
import { resultData } from '../../text/result-data.js'
import { formatProcesses, nameKilledChildren, noteNothingRunning, UNLISTED_CHILDREN } from './format-command-result.js'
import { describeJobEnd, jobStatus } from './format-job.js'
import type { ShellService } from './shell-service.js'

export const killBgTask = defineToolWith<{ shell: ShellService }>()({
  name: 'KillBgTask',
  title: 'Kill a job',
  description: `Kill a running background task by ID
Also kills its child processes.`,
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

  format({ job, wasRunning, survivors, areChildrenUnlisted }) {
    const unkilled = survivors.length > 0 && `Processes that could not be killed: ${formatProcesses(survivors)}.`
    const left = unkilled || (areChildrenUnlisted && UNLISTED_CHILDREN)
    if (!wasRunning) {
      const ended = `Job ${job.id} had already ended: ${describeJobEnd(job)}.`
      return `${ended} ${left || noteNothingRunning()}`
    }
    const killed = left ? `Killed job ${job.id}. ${left}` : `Killed job ${job.id} and ${nameKilledChildren()}.`
    return `${killed} ReadBgOutput(task_id: ${job.id}) still reads its output.`
  },

  meta: resultData('task_id', 'status', 'command', 'runtimeMs', 'exitCode', 'signal'),
})
