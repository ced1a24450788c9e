// The jobs of one user in this server: running jobs, and the last ones that ended.

import { oneLine } from '../../lib/one-line.js'
import type { Who } from '../who.js'
import type { Job } from '../jobs/job.js'
import type { Jobs } from '../jobs/jobs.js'
import { glimpse } from '../jobs/glimpse.js'
import { howItEnded } from '../jobs/how-it-ended.js'
import type { JobView } from './view.js'

const MAX_RUNNING = 50
const MAX_ENDED = 20
const MAX_COMMAND = 500

/** Cached for ended jobs, whose output no longer changes. */
const endedPreviews = new WeakMap<Job, string>()

export interface Place {
  readonly server: string
  readonly project: string
}

export async function jobViews(jobs: Jobs, caller: Who, location: Place): Promise<readonly JobView[]> {
  const all = await jobs.list(caller)
  const running = all.filter(({ isRunning }) => isRunning).slice(-MAX_RUNNING)
  const ended = all.filter(({ isRunning }) => !isRunning).slice(-MAX_ENDED)
  return Promise.all([...ended, ...running].map((job) => toJobView(job, location)))
}

async function toJobView(job: Job, { server, project }: Place): Promise<JobView> {
  const tail = await readTail(job)
  const { id, isRunning, record } = job
  const { startedAt, endedAt = null, exitCode = null } = record
  const command = oneLine(record.command, MAX_COMMAND)
  const ending = isRunning ? '' : howItEnded(job)
  return { server, project, id, command, startedAt, endedAt, isRunning, exitCode, ending, tail }
}

async function readTail(job: Job): Promise<string> {
  const known = endedPreviews.get(job)
  if (known !== undefined) return known
  const hasEnded = !job.isRunning
  try {
    const tail = await glimpse(job)
    if (hasEnded) endedPreviews.set(job, tail)
    return tail
  } catch {
    // May be readable next time.
    return ''
  }
}
