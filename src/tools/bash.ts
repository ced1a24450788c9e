// Runs a command in the project's directory and says what it printed.

import { uriOf } from '../services/jobs/uri.js'
import type { Limit, Outcome, Shell } from '../services/shell/shell.js'
import { toolsOver, type Words } from './tool.js'
import { endingOf } from './words/ending.js'
import { closing, count, plural, span } from './words/words.js'

const DEFER_AFTER_MS = 10_000
const MAX_LIMIT_MS = 24 * 60 * 60 * 1000

export const bash = toolsOver<{ shell: Shell }>()({
  name: 'Bash',
  title: 'Run a command',
  description: `Execute a bash command in the project directory and return its output (stdout and stderr together).
Without a timeout, a command that is still running after 30 s goes on as a background task. With one, it is ended when the time is up. Nothing can be typed into it: stdin is empty.`,
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

  output: {
    type: 'object',
    properties: {
      exitCode: { type: ['integer', 'null'], description: 'null while it runs' },
      signal: { type: ['string', 'null'] },
      durationMs: { type: 'integer' },
      timedOut: { type: 'boolean' },
      truncated: { type: 'boolean' },
      bytes: { type: 'integer' },
      task_id: { type: 'integer', description: 'The background task as which it goes on' },
    },
    required: ['exitCode', 'signal', 'durationMs', 'timedOut', 'truncated', 'bytes'],
  },

  async run({ command, timeout = 0 }, { shell }, { user, session, signal, wantsProgress, progress, defer }) {
    const limit = limitOf(timeout, shell.usualLimit)
    let shown = 0
    let isDeferred = false
    const onLine = wantsProgress ? (line: string) => progress(++shown, { message: line }) : undefined
    // Who can take a handle need not hold the line; if none can be made, the answer just takes its time.
    const timer = setTimeout(() => {
      void defer({ message: 'The command is still running.' }).then(
        (isTaken) => (isDeferred = isTaken),
        () => {},
      )
    }, DEFER_AFTER_MS)
    try {
      const terms = { who: { user, session }, limit, signal, onLine, isDeferred: () => isDeferred }
      return resultOf(await shell.run(command, terms), limit)
    } finally {
      clearTimeout(timer)
    }
  },

  render({ outcome, limit }): Words {
    const { text, ending, exitCode, jobId } = outcome
    const notes = [...endingNotes(outcome, limit), ...keptNotes(outcome), ...leftNotes(outcome)]
    const words = notes.length === 0 ? text || '(no output)' : closing(text, notes)
    const isError = ending !== 'goes-on' && !(ending === 'exit' && exitCode === 0)
    if (jobId === undefined) return isError ? { content: words, isError } : words
    const link = { type: 'resource_link', uri: uriOf(jobId), name: `job ${jobId}`, mimeType: 'text/plain' } as const
    return { content: [{ type: 'text', text: words }, link], isError }
  },
})

function limitOf(timeout: number, usual: Limit): Limit {
  return timeout > 0 ? { ms: Math.min(timeout, MAX_LIMIT_MS), isHard: true } : usual
}

function resultOf(outcome: Outcome, limit: Limit) {
  const { exitCode, signal, durationMs, truncated, bytes, ending, jobId } = outcome
  const timedOut = ending === 'timeout'
  const lives = ending === 'goes-on' && jobId !== undefined ? { task_id: jobId } : {}
  return { exitCode, signal, durationMs, timedOut, truncated, bytes, ...lives, outcome, limit }
}

function endingNotes(outcome: Outcome, { ms }: Limit): readonly string[] {
  const { ending, jobId, text, problem } = outcome
  if (ending === 'goes-on') {
    const read = `read it with ReadBgOutput(task_id: ${jobId}), end it with KillBgTask(task_id: ${jobId})`
    return [`Still running after ${span(ms)}; it goes on as background task ${jobId}: ${read}.`]
  }
  if (ending === 'cancelled')
    return ['Cancelled and ended, with everything it started. Run it again if it is still wanted.']
  if (ending === 'timeout') return [timeoutNote(ms, problem)]
  return [...endingOf(outcome, text !== ''), ...(outcome.note === undefined ? [] : [outcome.note])]
}

function timeoutNote(ms: number, problem: string | undefined): string {
  const ended = `Timed out after ${ms} ms and was ended. Give a longer timeout`
  if (problem === undefined) return `${ended}, or use BackgroundBash.`
  return `${ended}. It could not go on in the background: ${problem}.`
}

function keptNotes({ ending, truncated, binary, bytes, jobId, keptBytes, problem }: Outcome): readonly string[] {
  if (ending === 'goes-on') return []
  if (binary) return ['What is binary is not shown. Write it to a file to use it.']
  if (!truncated) return []
  if (jobId === undefined)
    return [`The ${count(bytes)} bytes of output were not kept: ${problem ?? 'there is no room'}.`]
  const kept =
    keptBytes < bytes ? `Of ${count(bytes)} bytes of output ${count(keptBytes)}` : `All ${count(bytes)} bytes of output`
  return [
    `${kept} are kept: ReadBgOutput(task_id: ${jobId}, tail: 100) reads the last lines, with pattern the last that match.`,
  ]
}

function leftNotes({ left }: Outcome): readonly string[] {
  if (left.length === 0) return []
  const names = left.slice(0, 5).map(({ pid, name }) => `${name} (${pid})`)
  const more = left.length > 5 ? ` and ${left.length - 5} more` : ''
  const verb = left.length === 1 ? 'runs' : 'run'
  const end = left.length === 1 ? 'It ends' : 'They end'
  return [
    `${plural(left.length, 'process', 'processes')} that it started still ${verb}: ${names.join(', ')}${more}. ` +
      `${end} with this server; use BackgroundBash for what should run on.`,
  ]
}
