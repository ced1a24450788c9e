// Declaration of the ReadBgOutput tool: reads the output of a job since the last read, and can wait for an event first,
// so that the model need not poll.

import { defineToolWith } from '@scorpiox/mcp/definitions/tool'
import { resultData } from '../../result-data.js'
import { appendNotes, formatDuration, formatNumber } from '../../text/format.js'
import { compileLineMatcher } from '../../text/line-matcher.js'
import { mayNeedInput, NEEDS_INPUT_NOTE } from './detect-missing-input.js'
import { formatJobStatus, jobStatus } from './format-job.js'
import type { ReadOutputRequest } from './job-service.js'
import type { Job } from './job.js'
import type { ShellService } from './shell-service.js'
import type { WaitResult } from './wait-for-job.js'

const DEFAULT_WAIT_MS = 30_000
const MAX_WAIT_MS = 600_000
const HEARTBEAT_MS = 5000

export const readBgOutput = defineToolWith<{ shell: ShellService }>()({
  name: 'ReadBgOutput',
  title: 'Read background output',
  description: `Read new output from a background task
What it printed since the last read. With wait_… it waits first, for one of them or the end.`,
  hints: { readOnly: true, destructive: false, idempotent: false, openWorld: false },
  services: ['shell'],

  input: {
    type: 'object',
    properties: {
      task_id: { type: 'integer', description: 'The task ID returned by BackgroundBash' },
      wait_for_end: { type: 'boolean' },
      wait_for_pattern: { type: 'string', description: 'Regex for a new line' },
      wait_for_quiet_ms: { type: 'integer', minimum: 1, maximum: MAX_WAIT_MS },
      wait_for_port: {
        type: 'integer',
        minimum: 1,
        maximum: 65_535,
        description: 'On localhost',
      },
      wait_ms: {
        type: 'integer',
        minimum: 0,
        maximum: MAX_WAIT_MS,
        description: `Longest wait (default: ${DEFAULT_WAIT_MS})`,
      },
      pattern: { type: 'string', description: 'Only new lines matching this regex' },
      tail: {
        type: 'integer',
        minimum: 1,
        description: 'The last lines, also ones read before',
      },
    },
    required: ['task_id'],
  },

  async run(input, { user, session, client, signal, wantsProgress, progress }, { shell }) {
    const jobs = await shell.jobs()
    const startedAt = performance.now()
    const seconds = (): number => Math.round((performance.now() - startedAt) / 1000)
    const reportProgress = (): void => progress(seconds(), { message: `waiting for background task ${input.task_id}` })
    const timer = wantsProgress ? setInterval(reportProgress, HEARTBEAT_MS) : undefined
    try {
      const reading = await jobs.read(
        input.task_id,
        { user, session },
        toReadRequest(input, shell.maxCharacters(client)),
        signal,
      )
      const { job, waitResult, truncated, bytes } = reading
      const waitedFor = waitResult === undefined ? {} : { waitedFor: waitResult }
      const noMatchText = noMatchNote(input)
      return {
        ...jobStatus(job),
        ...waitedFor,
        truncated,
        bytes,
        reading,
        missing: noMatchText,
        waitedMs: performance.now() - startedAt,
      }
    } finally {
      clearInterval(timer)
    }
  },

  format({ reading, missing: noMatchText, waitedMs }) {
    const { job, text, droppedBytes, waitResult, leftoverProcesses: leftover, truncated } = reading
    const notes = [
      ...(droppedBytes > 0 ? [`${formatNumber(droppedBytes)} bytes of it are no longer kept.`] : []),
      ...(truncated ? [`What is left out is kept: ${searchHint(job.id)}.`] : []),
      ...(job.outputProblem === undefined ? [] : [job.outputProblem]),
      ...waitNotes(waitResult, waitedMs),
      ...(text === '' && noMatchText !== undefined ? [noMatchText] : []),
      formatJobStatus(job, text === '' && noMatchText === undefined, leftover),
      ...(hasFailed(job) && mayNeedInput(text) ? [NEEDS_INPUT_NOTE] : []),
    ]
    return appendNotes(text, notes)
  },

  meta: resultData(
    'task_id',
    'status',
    'command',
    'runtimeMs',
    'exitCode',
    'signal',
    'waitedFor',
    'truncated',
    'bytes',
  ),
})

function searchHint(id: number): string {
  return `ReadBgOutput(task_id: ${id}, tail: 100) reads the last lines, with pattern the last that match`
}

interface ReadBgOutputInput {
  readonly wait_for_end?: boolean | undefined
  readonly wait_for_pattern?: string | undefined
  readonly wait_for_quiet_ms?: number | undefined
  readonly wait_for_port?: number | undefined
  readonly wait_ms?: number | undefined
  readonly pattern?: string | undefined
  readonly tail?: number | undefined
}

function toReadRequest(input: ReadBgOutputInput, maxCharacters: number): ReadOutputRequest {
  const { wait_for_end: end = false, wait_for_pattern: line, wait_for_quiet_ms: quietMs, wait_for_port: port } = input
  const isWaiting = end || [line, quietMs, port, input.wait_ms].some((value) => value !== undefined)
  const pattern = line === undefined ? undefined : compileLineMatcher(line)
  const maxMs = input.wait_ms ?? DEFAULT_WAIT_MS
  return {
    wait: isWaiting ? { pattern, quietMs, port, maxMs } : undefined,
    filter: input.pattern === undefined ? undefined : compileLineMatcher(input.pattern),
    tail: input.tail,
    maxCharacters,
  }
}

/** It exited by itself with a non-zero code. */
function hasFailed({ isRunning, record: { ending, exitCode = null, signal = null } }: Job): boolean {
  return !isRunning && ending === 'exit' && exitCode !== 0 && exitCode !== null && signal === null
}

/** The note for an empty result of a filtered read. */
function noMatchNote({ pattern, tail }: ReadBgOutputInput): string | undefined {
  if (pattern === undefined) return undefined
  return tail === undefined ? 'No new line matches; with tail, lines read before are searched too.' : 'No line matches.'
}

function waitNotes(waitResult: WaitResult | undefined, waitedMs: number): readonly string[] {
  if (waitResult === 'time') return [`Timed out after ${formatDuration(waitedMs)}.`]
  if (waitResult === 'port') return ['The port answers.']
  if (waitResult === 'pattern') return ['The pattern was found.']
  return waitResult === 'quiet' ? ['No output for the requested time.'] : []
}
