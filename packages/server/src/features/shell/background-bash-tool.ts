// Declaration of the BackgroundBash tool: starts a command as a background job. Registered in tool-list.ts. Starts
// processes through the shell service.

import { defineToolWith } from '@scorpiox/mcp/definitions/tool'
import { resultData } from '../../text/result-data.js'
import type { PermissionService } from '../permissions/index.js'
import { checkSize } from './argument-ranges.js'
import type { ShellService } from './shell-service.js'

export const backgroundBash = defineToolWith<{ shell: ShellService; permissions: PermissionService }>()({
  name: 'BackgroundBash',
  title: 'Start a job',
  description: `Execute bash command in background, returns immediately
Starts a job: a server, build or program to type into. Returns its task_id for ReadBgOutput.`,
  hints: { readOnly: false, destructive: true, idempotent: false, openWorld: true },
  ui: { resourceUri: 'ui://scorpiox-code/job' },
  services: ['shell', 'permissions'],

  input: {
    type: 'object',
    properties: {
      command: { type: 'string', description: 'The bash command to execute' },
      tty: { type: 'boolean', description: 'On a terminal' },
      cols: { type: 'integer' },
      rows: { type: 'integer' },
    },
    required: ['command'],
  },

  async run({ command, tty, cols, rows }, call, { shell, permissions }) {
    await permissions.authorize(command, call)
    const { user, session } = call
    const jobs = await shell.jobs()
    const terminal = tty ? checkSize({ cols, rows }) : undefined
    const { job, execution } = await jobs.start(command, { user, session }, { background: true, terminal })
    return { task_id: job.id, notice: execution.notice }
  },

  format({ task_id: id, notice }) {
    const started = `Started job ${id}. ReadBgOutput(task_id: ${id}) reads its output and can wait for it; KillBgTask(task_id: ${id}) kills it.`
    return notice === undefined ? started : `${started}\n${notice}`
  },

  meta: resultData('task_id'),
})
