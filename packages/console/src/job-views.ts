// Reads the jobs of one user in this server, for server-feed.ts: running jobs, and those that ended and are kept, each
// with the end of its output and what it uses. Reads output files through the jobs.

import type { Caller } from '@scorpiox/mcp/definitions/caller'
import { DEFAULT_SIZE, getJobEnd, isUserTyping, type Job, type JobService } from '@scorpiox/server/features/shell/index'
import { previewOutput } from '@scorpiox/server/features/shell/lazy'
import { toSingleLine } from '@scorpiox/server/text/format'
import type { JobUsageSampler } from './job-usage-sampler.js'
import type { JobView, TerminalView } from './view.js'

const MAX_RUNNING = 50
/** As many as are kept. */
const MAX_ENDED = 50
/** The others have their last line only, because all jobs are sent when one changes. */
const MAX_ENDED_WITH_TAIL = 20
const MAX_LAST_LINE = 200
const MAX_COMMAND = 500

/** Cached for ended jobs, whose output no longer changes. */
const endedPreviews = new WeakMap<Job, string>()

export interface JobViewsDeps {
  readonly server: string
  readonly project: string
  readonly usage: Pick<JobUsageSampler, 'usageOf'>
}

export async function readJobViews(jobs: JobService, caller: Caller, deps: JobViewsDeps): Promise<readonly JobView[]> {
  const all = await jobs.list(caller)
  const running = all.filter(({ isRunning }) => isRunning).slice(-MAX_RUNNING)
  const ended = all.filter(({ isRunning }) => !isRunning).slice(-MAX_ENDED)
  const older = ended.length - MAX_ENDED_WITH_TAIL
  return Promise.all([...ended, ...running].map((job, index) => toJobView(job, index < older, deps)))
}

function toLastLine(tail: string): string {
  return toSingleLine(tail.trimEnd().split('\n').at(-1) ?? '', MAX_LAST_LINE)
}

async function toJobView(
  job: Job,
  hasLastLineOnly: boolean,
  { server, project, usage }: JobViewsDeps,
): Promise<JobView> {
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
    isCommandShortened: command !== record.command,
    startedAt,
    endedAt,
    isRunning,
    exitCode,
    ending,
    signal,
    tail: hasLastLineOnly ? toLastLine(tail) : tail,
    terminal: toTerminalView(job),
    session: record.session,
    usage: usage.usageOf(job),
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
