// The Bash tool: checks the permission rules, runs a command in the project directory with the shell service, and returns
// its output. Registered in tool-list.ts. Starts processes.

import { defineToolWith, type ToolOutput } from '@scorpiox/mcp/definitions/tool'
import { resultData } from '../../text/result-data.js'
import type { PermissionService } from '../permissions/index.js'
import { formatCommandResult } from './format-command-result.js'
import { jobUri } from './job-resources.js'
import type { CommandResult, ShellService } from './shell-service.js'
import type { TimeLimit } from './wait-for-command.js'

const MAX_LIMIT_MS = 24 * 60 * 60 * 1000

export const bash = defineToolWith<{ shell: ShellService; permissions: PermissionService }>()({
  name: 'Bash',
  title: 'Run a command',
  description: `Execute a bash command in the project directory and return its output (stdout and stderr).
After 30 s it continues as a job; with timeout it is killed. stdin is empty.`,
  hints: { readOnly: false, destructive: true, idempotent: false, openWorld: true },
  services: ['shell', 'permissions'],
  taskSupport: 'sometimes',

  input: {
    type: 'object',
    properties: {
      command: { type: 'string', description: 'The bash command to execute' },
      timeout: { type: 'integer', description: 'Timeout in milliseconds (default: 30000)' },
    },
    required: ['command'],
  },

  async run({ command, timeout = 0 }, call, { shell, permissions }) {
    const limit = timeLimitOf(timeout, shell.defaultLimit)
    const authorize = () => permissions.authorize(command, call)
    return toBashResult(await shell.run(command, { call, limit, authorize }), limit)
  },

  format({ result, limit }): ToolOutput {
    return formatCommandResult(result, limit)
  },

  meta: resultData('exitCode', 'signal', 'durationMs', 'timedOut', 'truncated', 'bytes', 'task_id', 'uri'),
})

function timeLimitOf(timeout: number, defaultLimit: TimeLimit): TimeLimit {
  return timeout > 0 ? { ms: Math.min(timeout, MAX_LIMIT_MS), killAtLimit: true } : defaultLimit
}

function toBashResult(result: CommandResult, limit: TimeLimit) {
  const { exitCode, signal, durationMs, truncated, bytes, ending, jobId } = result
  const timedOut = ending === 'timeout'
  const task_id = ending === 'backgrounded' ? jobId : undefined
  // The resource with the whole output, if it is stored.
  const uri = jobId === undefined ? undefined : jobUri(jobId)
  return { exitCode, signal, durationMs, timedOut, truncated, bytes, task_id, uri, result, limit }
}
