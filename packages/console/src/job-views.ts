// Reads the jobs of one user in this server, for server-feed.ts: running jobs, and the last ones that ended, each with
// the end of its output. Reads output files through the jobs.

import type { Caller } from '@scorpiox/mcp/definitions/caller'
import { DEFAULT_SIZE, getJobEnd, isUserTyping, type Job, type JobService } from '@scorpiox/server/features/shell/index'
import { previewOutput } from '@scorpiox/server/features/shell/lazy'
import { toSingleLine } from '@scorpiox/server/text/format'
import type { JobView, TerminalView } from './view.js'

const MAX_RUNNING = 50
const MAX_ENDED = 20
const MAX_COMMAND = 500

/** Cached for ended jobs, whose output no longer changes. */
const endedPreviews = new WeakMap<Job, string>()

export interface JobLocation {
  readonly server: string
  readonly project: string
}

export async function readJobViews(
  jobs: JobService,
  caller: Caller,
  location: JobLocation,
): Promise<readonly JobView[]> {
  const all = await jobs.list(caller)
  const running = all.filter(({ isRunning }) => isRunning).slice(-MAX_RUNNING)
  const ended = all.filter(({ isRunning }) => !isRunning).slice(-MAX_ENDED)
  return Promise.all([...ended, ...running].map((job) => toJobView(job, location)))
}

async function toJobView(job: Job, { server, project }: JobLocation): Promise<JobView> {
  const tail = await readTail(job)
  const { id, isRunning, record } = job
  const { startedAt, endedAt = null, exitCode = null, signal = null } = record
  const command = toSingleLine(record.command, MAX_COMMAND)
  const ending = isRunning ? null : getJobEnd(job)
  return {
    server,
    project,
    id,
    command,
    startedAt,
    endedAt,
    isRunning,
    exitCode,
    ending,
    signal,
    tail,
    terminal: toTerminalView(job),
  }
}

function toTerminalView(job: Job): TerminalView | null {
  const { stdin, sizes = [] } = job.record
  if (stdin !== 'terminal') return null
  const { cols, rows } = sizes.at(-1) ?? DEFAULT_SIZE
  return { cols, rows, isUserTyping: isUserTyping(job) }
}

async function readTail(job: Job): Promise<string> {
  const known = endedPreviews.get(job)
  if (known !== undefined) return known
  const hasEnded = !job.isRunning
  try {
    const tail = await previewOutput(job)
    if (hasEnded) endedPreviews.set(job, tail)
    return tail
  } catch {
    // May be readable next time.
    return ''
  }
}
