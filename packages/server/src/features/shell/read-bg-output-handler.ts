// Handler of the tool ReadBgOutput: reads the output of a job, after a wait if one was requested, and formats it. Loaded by
// the first call. No I/O of its own: uses the job service.

import type { CallContext } from '@scorpiox/mcp/definitions/call-context'
import type { PermissionService } from '../permissions/index.js'
import { startHeartbeat } from '../../calls/progress-heartbeat.js'
import { parseLinePattern } from '../../patterns/line-pattern.js'
import { appendNotes, formatDuration, formatNumber } from '../../text/format.js'
import { toResultMeta } from '../../text/result-data.js'
import { checkRange, parseScreen } from './argument-ranges.js'
import { mayNeedInput, NEEDS_INPUT_NOTE, readsLine } from './format-command-result.js'
import { formatJobStatus, jobStatus } from './format-job.js'
import type { ReadOutputRequest, ReadOutputResult } from './job-service.js'
import type { Job } from './job.js'
import { DEFAULT_WAIT_MS } from './read-bg-output-tool.js'
import type { ScreenState } from './read-terminal.js'
import type { ShellService } from './shell-service.js'
import type { WaitResult } from './wait-for-job.js'

interface ReadBgOutputInput {
  readonly task_id: number
  readonly input?: string | undefined
  readonly keys?: readonly string[] | undefined
  readonly screen?: string | undefined
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
    call: CallContext,
    { shell, permissions }: { readonly shell: ShellService; readonly permissions: PermissionService },
  ): Promise<ReadBgOutputResult> {
    const { user, session, client, signal, wantsProgress, progress } = call
    const request = toReadRequest(input, shell.maxCharacters(client))
    // What is typed into a shell is a command, too.
    if (input.input?.trim()) await permissions.authorize(input.input, call)
    const jobs = await shell.jobs()
    const startedAt = performance.now()
    const { task_id: id } = input
    const message = `waiting for job ${id}`
    const heartbeat = wantsProgress ? startHeartbeat((seconds) => progress(seconds, { message })) : undefined
    try {
      const reading = await shell.withClient(call, () => jobs.read(id, { user, session }, request, signal))
      return { reading, input, waitedMs: performance.now() - startedAt }
    } finally {
      heartbeat?.stop()
    }
  },

  format({ reading, input, waitedMs }: ReadBgOutputResult): string {
    const { job, text, droppedBytes, waitResult, leftoverProcesses: leftover, truncated, screen } = reading
    const noMatchText = noMatchNote(input)
    const notes = [
      ...(droppedBytes > 0 ? [`${formatNumber(droppedBytes)} bytes of this output are no longer kept.`] : []),
      ...(truncated ? [`The omitted output is kept: ${searchHint(job.id)}.`] : []),
      ...(job.outputProblem === undefined ? [] : [job.outputProblem]),
      ...typingNotes(reading),
      ...(screen ? [describeScreen(screen)] : []),
      ...waitNotes(waitResult, waitedMs),
      ...(reading.isUserTyping ? ['The user is typing in this terminal.'] : []),
      ...(reading.isWaitingForInput ? ['Waiting for input.'] : []),
      ...(text === '' && noMatchText !== undefined ? [noMatchText] : []),
      formatJobStatus(job, text === '' && noMatchText === undefined, leftover),
      ...(hasFailed(job) && (mayNeedInput(text) || (text === '' && readsLine(job.record.command)))
        ? [NEEDS_INPUT_NOTE]
        : []),
    ]
    return appendNotes(text, notes)
  },

  meta({ reading }: ReadBgOutputResult) {
    const { job, waitResult: waitedFor, truncated, bytes, screen, isWaitingForInput, isUserTyping } = reading
    return toResultMeta({
      ...jobStatus(job),
      waitedFor,
      truncated,
      bytes,
      ...(isWaitingForInput && { waitingForInput: true }),
      ...(isUserTyping && { userTyping: true }),
      ...(screen && { screen }),
    })
  },
}

/** Of a call that types and does not say what it waits for: until the program reads again, or is silent for a while. */
const WAIT_AFTER_TYPING = { quietMs: 2000, maxMs: DEFAULT_WAIT_MS, input: { withoutPrompt: true } }

function typingNotes({ typed, unreadBytes, screen, job, isUserTyping }: ReadOutputResult): readonly string[] {
  if (!typed) return []
  const { bytes, untakenBytes } = typed
  const reason = isUserTyping
    ? 'the user began to type'
    : job.isRunning
      ? 'the program does not read its input'
      : 'the program has ended'
  const untaken = `Only ${formatNumber(bytes - untakenBytes)} of ${formatNumber(bytes)} bytes of input were typed: ${reason}.`
  return [
    ...(untakenBytes > 0 ? [untaken] : []),
    ...(unreadBytes > 0 && !screen
      ? [`${formatNumber(unreadBytes)} bytes printed before the input are not shown; read them with tail.`]
      : []),
  ]
}

function describeScreen({ cols, rows, cursor }: ScreenState): string {
  return `Screen of ${cols}x${rows}, cursor at row ${cursor.row}, column ${cursor.column}.`
}

function searchHint(id: number): string {
  return `ReadBgOutput(task_id: ${id}, tail: 100) reads the last lines, or with pattern the last matching lines`
}

const MAX_WAIT_MS = 600_000

function toReadRequest(input: ReadBgOutputInput, maxCharacters: number): ReadOutputRequest {
  checkRange('wait_ms', input.wait_ms, [0, MAX_WAIT_MS])
  checkRange('wait_for_quiet_ms', input.wait_for_quiet_ms, [1, MAX_WAIT_MS])
  checkRange('wait_for_port', input.wait_for_port, [1, 65_535])
  checkRange('tail', input.tail, [1, Infinity])
  const { wait_for_end: end = false, wait_for_pattern: line, wait_for_quiet_ms: quietMs, wait_for_port: port } = input
  const isWaiting = end || [line, quietMs, port, input.wait_ms].some((value) => value !== undefined)
  const isTyping = input.input !== undefined || input.keys !== undefined
  const pattern = line === undefined ? undefined : parseLinePattern(line)
  const maxMs = input.wait_ms ?? DEFAULT_WAIT_MS
  // If nothing particular is waited for, a program that reads its input without a prompt is what there is to report.
  const isSpecific = end || [line, quietMs, port].some((value) => value !== undefined)
  return {
    wait: isWaiting
      ? { pattern, quietMs, port, maxMs, input: { withoutPrompt: !isSpecific } }
      : isTyping
        ? WAIT_AFTER_TYPING
        : undefined,
    type: isTyping ? { input: input.input, keys: input.keys } : undefined,
    resize: parseScreen(input.screen),
    fullScreen: input.screen !== undefined,
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
  return tail === undefined ? 'No new line matches; tail also searches lines already read.' : 'No line matches.'
}

function waitNotes(waitResult: WaitResult | undefined, waitedMs: number): readonly string[] {
  if (waitResult === 'time') return [`Timed out after ${formatDuration(waitedMs)}.`]
  if (waitResult === 'port') return ['The port accepts connections.']
  if (waitResult === 'pattern') return ['The pattern matched.']
  return waitResult === 'quiet' ? ['No output for the requested time.'] : []
}
