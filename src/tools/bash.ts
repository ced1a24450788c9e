// Declaration of the Bash tool: runs a command in the project directory and returns its output.

import { uriOf } from '../services/jobs/uri.js'
import type { Limit, Outcome, Shell } from '../services/shell/shell.js'
import { runAndWait } from './run-and-wait.js'
import { resultData } from './result-data.js'
import { toolsOver, type Words } from './tool.js'
import { outcomeWords } from './words/outcome.js'

const MAX_LIMIT_MS = 24 * 60 * 60 * 1000

export const bash = toolsOver<{ shell: Shell }>()({
  name: 'Bash',
  title: 'Run a command',
  description: `Execute a bash command in the project directory and return its output (stdout and stderr).
Without timeout, after 30 s it goes on as a background task; with one it is ended. stdin is empty.`,
  hints: { readOnly: false, destructive: true, idempotent: false, openWorld: true },
  needs: ['shell'],
  defers: 'sometimes',

  input: {
    type: 'object',
    properties: {
      command: { type: 'string', description: 'The bash command to execute' },
      timeout: { type: 'integer', description: 'Timeout in milliseconds (default: 30000)' },
    },
    required: ['command'],
  },

  async run({ command, timeout = 0 }, call, { shell }) {
    const limit = timeLimitOf(timeout, shell.usualLimit)
    return resultOf(await runAndWait(shell, { command, limit }, call), limit)
  },

  render({ result, limit }): Words {
    return outcomeWords(result, limit)
  },

  meta: resultData('exitCode', 'signal', 'durationMs', 'timedOut', 'truncated', 'bytes', 'task_id', 'uri'),
})

function timeLimitOf(timeout: number, defaultLimit: Limit): Limit {
  return timeout > 0 ? { ms: Math.min(timeout, MAX_LIMIT_MS), isHard: true } : defaultLimit
}

function resultOf(result: Outcome, limit: Limit) {
  const { exitCode, signal, durationMs, truncated, bytes, ending, jobId } = result
  const timedOut = ending === 'timeout'
  const task_id = ending === 'backgrounded' ? jobId : undefined
  // The resource with the whole output, if it is stored.
  const uri = jobId === undefined ? undefined : uriOf(jobId)
  return { exitCode, signal, durationMs, timedOut, truncated, bytes, task_id, uri, result, limit }
}
