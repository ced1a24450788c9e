// Runs a command in the project's directory and says what it printed.

import type { Outcome, Shell } from '../services/shell/shell.js'
import { toolsOver } from './tool.js'

const DEFAULT_TIMEOUT_MS = 30_000
const DEFER_AFTER_MS = 10_000
const MAX_TIMEOUT_MS = 24 * 60 * 60 * 1000

export const bash = toolsOver<{ shell: Shell }>()({
  name: 'Bash',
  title: 'Run a command',
  description: `Execute a bash command in the project directory and return its output (stdout and stderr together).
A command that is still running after its timeout is ended. Nothing can be typed into it: stdin is empty.`,
  hints: { readOnly: false, destructive: true, idempotent: false, openWorld: true },
  needs: ['shell'],
  defers: 'sometimes',

  input: {
    type: 'object',
    properties: {
      command: { type: 'string', description: 'The bash command to execute' },
      timeout: { type: 'integer', description: `Timeout in milliseconds (default: ${DEFAULT_TIMEOUT_MS})` },
    },
    required: ['command'],
  },

  output: {
    type: 'object',
    properties: {
      exitCode: { type: ['integer', 'null'] },
      signal: { type: ['string', 'null'] },
      timedOut: { type: 'boolean' },
      omittedBytes: { type: 'integer' },
      durationMs: { type: 'integer' },
    },
    required: ['exitCode', 'signal', 'timedOut', 'omittedBytes', 'durationMs'],
  },

  async run({ command, timeout = 0 }, { shell }, call) {
    const timeoutMs = timeout > 0 ? Math.min(timeout, MAX_TIMEOUT_MS) : DEFAULT_TIMEOUT_MS
    let shown = 0
    const onLine = call.wantsProgress ? (line: string) => call.progress(++shown, { message: line }) : undefined
    // Who can take a handle need not hold its breath; if none can be made, the answer just takes its time.
    const message = 'The command is still running.'
    const timer = setTimeout(() => void call.defer({ message }).catch(() => false), DEFER_AFTER_MS)
    try {
      return { ...(await shell.run(command, { timeoutMs, signal: call.signal, onLine })), timeoutMs }
    } finally {
      clearTimeout(timer)
    }
  },

  render(outcome) {
    const { output } = outcome
    const ending = endingOf(outcome)
    if (ending === undefined) return output || '(no output)'
    return { content: output ? `${output.replace(/\n?$/, '\n')}[${ending}]` : `[${ending}]`, isError: true }
  },
})

/** What happened and what to do next; undefined when all went well. */
function endingOf({ exitCode, signal, timedOut, cancelled, timeoutMs }: Outcome & { timeoutMs: number }) {
  if (timedOut) return `Timed out after ${timeoutMs} ms and was ended. Give a longer timeout, or run less at once.`
  if (cancelled) return 'Stopped before it was done, with everything it started.'
  if (signal) return `Ended by signal ${signal}.`
  return exitCode === 0 ? undefined : `Exit code ${exitCode}.`
}
