// A job and its output as the view of a job reads them: new lines from an offset on, or the screen of its terminal. Loaded by
// job-view with the first view. Reads files through Job.output; waits for output with a timeout.

import { withTimeout } from '@scorpiox/mcp/promises'
import type { AppJob } from '../../calls/app-data.js'
import { createTerminalRenderer } from '../../text/terminal/terminal-renderer.js'
import type { StyleMarks } from '../apps/index.js'
import { getJobEnd } from './format-job.js'
import type { Job } from './job.js'
import { longReads } from './read-job-part.js'

/** How long a read waits for output. */
const WAIT_MS = 2000
/** What a view gets of older output. */
const FIRST_BYTES = 64 * 1024
/** Of one read. */
const READ_BYTES = 256 * 1024
const MAX_SCREEN_CHARACTERS = 40_000
const NEWLINE = 10

export interface JobViewRequest {
  /** Undefined: the last part of what was printed. */
  readonly from: number | undefined
  readonly createStyleMarks: () => StyleMarks
  readonly signal: AbortSignal
}

export async function readJobForView(job: Job, { from, createStyleMarks, signal }: JobViewRequest): Promise<AppJob> {
  await job.flush()
  if (from !== undefined && job.isRunning && (await job.output.size()) <= from) await waitForChange(job, signal)
  // Read first: output printed after this is returned by the next read.
  const { endedAt = null, exitCode = null, signal: killedBy = null, command, startedAt } = job.record
  const ending = job.isRunning ? null : getJobEnd(job)
  await job.flush()
  const readPart = (): Promise<JobPart> =>
    job.record.stdin === 'terminal' ? readScreen(job) : readLines(job, from, createStyleMarks)
  const part = await longReads.run(job.record.user, signal, readPart)
  return { id: job.id, command, startedAt, endedAt, ending, exitCode, signal: killedBy, ...part }
}

async function waitForChange(job: Job, signal: AbortSignal): Promise<void> {
  const waiting = new AbortController()
  const stop = (): void => waiting.abort()
  signal.addEventListener('abort', stop)
  try {
    await withTimeout(WAIT_MS, job.nextChange(waiting.signal))
  } finally {
    signal.removeEventListener('abort', stop)
    stop()
  }
}

type JobPart = Pick<AppJob, 'isScreen' | 'text' | 'open' | 'next' | 'missing'>

async function readScreen(job: Job): Promise<JobPart> {
  const { readStyledScreen } = await import('./read-terminal.js')
  const { text, next } = await readStyledScreen(job, MAX_SCREEN_CHARACTERS)
  return { isScreen: true, text, open: '', next, missing: 0 }
}

/** Whole lines, and the beginning of the last one. A line that is cut off at the beginning of the part is left out. */
async function readLines(job: Job, wanted: number | undefined, createStyleMarks: () => StyleMarks): Promise<JobPart> {
  const start = wanted ?? Math.max(0, (await job.output.size()) - FIRST_BYTES)
  const { from, bytes } = await job.output.read(start, READ_BYTES)
  const isCut = from > start || (wanted === undefined && start > 0)
  const begin = isCut ? bytes.indexOf(NEWLINE) + 1 : 0
  const lines = bytes.lastIndexOf(NEWLINE) + 1
  const end = from + bytes.length
  const isLast = end >= (await job.output.size())
  // Longer than what is read at once, or the last line of a job that has ended: nothing will be added.
  const isWhole = isLast ? !job.isRunning : lines <= begin
  const split = isWhole ? bytes.length : lines
  const render = (part: Buffer): string => renderRows(part, createStyleMarks())
  return {
    isScreen: false,
    text: render(bytes.subarray(begin, split)),
    open: isLast ? render(bytes.subarray(split)) : '',
    next: from + split,
    missing: from + begin - (wanted ?? 0),
  }
}

function renderRows(bytes: Buffer, marks: StyleMarks): string {
  if (bytes.length === 0) return ''
  const rows: Buffer[] = []
  const screen = createTerminalRenderer((row) => void rows.push(row))
  screen.write(marks.mark(bytes))
  screen.write(marks.end())
  screen.end()
  return marks.toSgr(Buffer.concat(rows).toString(), true)
}
