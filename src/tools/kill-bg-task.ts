// Declaration of the KillBgTask tool: kills the process tree of a background job.

import { howItEnded } from '../services/jobs/how-it-ended.js'
import type { Shell } from '../services/shell/shell.js'
import { resultData } from './result-data.js'
import { toolsOver } from './tool.js'
import { statusOf } from './words/job.js'
import { listProcesses } from './words/left-processes.js'

export const killBgTask = toolsOver<{ shell: Shell }>()({
  name: 'KillBgTask',
  title: 'End a background task',
  description: `Kill a running background task by ID
With everything it started.`,
  hints: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
  needs: ['shell'],

  input: {
    type: 'object',
    properties: { task_id: { type: 'integer', description: 'The task ID to kill' } },
    required: ['task_id'],
  },

  async run({ task_id: id }, { user, session }, { shell }) {
    const jobs = await shell.jobs()
    const killed = await jobs.kill(id, { user, session })
    return { ...statusOf(killed.job), ...killed }
  },

  render({ job, wasRunning, survivors }) {
    const unkilledText = `could not be killed: ${listProcesses(survivors)}.`
    if (!wasRunning) {
      const ended = `Background task ${job.id} had already ended: ${howItEnded(job)}.`
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
