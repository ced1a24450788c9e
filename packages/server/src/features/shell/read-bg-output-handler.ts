// Handler of the tool ReadBgOutput: reads the output of a job, after a wait if one was requested, and formats it. Loaded by
// the first call. No I/O of its own: uses the job service.

import type { CallContext } from '@scorpiox/mcp/definitions/call-context'
import { startHeartbeat } from '../../calls/progress-heartbeat.js'
import { parseLinePattern } from '../../patterns/line-pattern.js'
import { appendNotes, formatDuration, formatNumber } from '../../text/format.js'
import { toResultMeta } from '../../text/result-data.js'
import { mayNeedInput, NEEDS_INPUT_NOTE } from './format-command-result.js'
import { formatJobStatus, jobStatus } from './format-job.js'
import type { ReadOutputRequest, ReadOutputResult } from './job-service.js'
import type { Job } from './job.js'
import { DEFAULT_WAIT_MS } from './read-bg-output-tool.js'
import type { ShellService } from './shell-service.js'
import type { WaitResult } from './wait-for-job.js'

interface ReadBgOutputInput {
  readonly task_id: number
  readonly wait_for_end?: boolean | undefined
  readonly wait_for_pattern?: string | undefined
  readonly wait_for_quiet_ms?: number | undefined
  readonly wait_for_port?: number | undefined
  readonly wait_ms?: number | undefined
  readonly pattern?: string | undefined
  readonly tail?: number | undefined
}

interface ReadBgOutputResult {
  readonly reading: ReadOutputResult
  readonly input: ReadBgOutputInput
  readonly waitedMs: number
}

export const readBgOutputHandler = {
  async run(
    input: ReadBgOutputInput,
    { user, session, client, signal, wantsProgress, progress }: CallContext,
    { shell }: { readonly shell: ShellService },
  ): Promise<ReadBgOutputResult> {
    const jobs = await shell.jobs()
    const startedAt = performance.now()
    const { task_id: id } = input
    const message = `waiting for background task ${id}`
    const heartbeat = wantsProgress ? startHeartbeat((seconds) => progress(seconds, { message })) : undefined
    try {
      const request = toReadRequest(input, shell.maxCharacters(client))
      const reading = await jobs.read(id, { user, session }, request, signal)
      return { reading, input, waitedMs: performance.now() - startedAt }
    } finally {
      heartbeat?.stop()
    }
  },

  format({ reading, input, waitedMs }: ReadBgOutputResult): string {
    const { job, text, droppedBytes, waitResult, leftoverProcesses: leftover, truncated } = reading
    const noMatchText = noMatchNote(input)
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

  meta({ reading: { job, waitResult: waitedFor, truncated, bytes } }: ReadBgOutputResult) {
    return toResultMeta({ ...jobStatus(job), waitedFor, truncated, bytes })
  },
}

function searchHint(id: number): string {
  return `ReadBgOutput(task_id: ${id}, tail: 100) reads the last lines, with pattern the last that match`
}

function toReadRequest(input: ReadBgOutputInput, maxCharacters: number): ReadOutputRequest {
  const { wait_for_end: end = false, wait_for_pattern: line, wait_for_quiet_ms: quietMs, wait_for_port: port } = input
  const isWaiting = end || [line, quietMs, port, input.wait_ms].some((value) => value !== undefined)
  const pattern = line === undefined ? undefined : parseLinePattern(line)
  const maxMs = input.wait_ms ?? DEFAULT_WAIT_MS
  return {
    wait: isWaiting ? { pattern, quietMs, port, maxMs } : undefined,
    filter: input.pattern === undefined ? undefined : parseLinePattern(input.pattern),
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
