// Text and result fields of a background job, the same in all tools and resources that show one. How a job ended is also
// used by callbacks and the console. No I/O; reads the clock for runtimes.

import { formatDuration, toSingleLine } from '../../text/format.js'
import type { LeftoverProcess } from './command-execution.js'
import { formatStillRunning, noteNothingRunning } from './format-command-result.js'
import type { Job } from './job.js'

const MAX_COMMAND = 200

export function jobStatus(job: Job) {
  const { id, isRunning, record } = job
  const status: 'running' | 'ended' = isRunning ? 'running' : 'ended'
  const { exitCode = null, signal = null } = record
  return {
    task_id: id,
    status,
    command: toSingleLine(record.command, MAX_COMMAND),
    runtimeMs: jobRuntimeMs(job),
    exitCode,
    signal,
  }
}

/** One line of a list. */
export function formatJobSummary(job: Job): string {
  const { id, isRunning, record } = job
  return `${id}  ${isRunning ? 'running' : describeJobEnd(job)}  ${formatDuration(jobRuntimeMs(job))}  ${toSingleLine(record.command, MAX_COMMAND)}`
}

/** The note after the output of a job. `left`: its processes that still run, if known. */
export function formatJobStatus(job: Job, isNothingNew: boolean, leftover?: readonly LeftoverProcess[]): string {
  const { id, isRunning } = job
  const prefix = isNothingNew ? 'No new output. ' : ''
  if (isRunning) return `${prefix}Job ${id} is running (${formatDuration(jobRuntimeMs(job))}).`
  const ended = `${prefix}Job ${id} ended after ${formatDuration(jobRuntimeMs(job))}: ${describeJobEnd(job)}.`
  return `${ended}${unknownExitNote(job)}${leftoverNote(id, leftover)}`
}

function unknownExitNote({ record: { ending } }: Job): string {
  return ending === 'machine-lost' || ending === 'unknown' ? ' It may have completed: check before you repeat it.' : ''
}

function leftoverNote(id: number, leftover: readonly LeftoverProcess[] | undefined): string {
  if (leftover === undefined) return ''
  if (leftover.length === 0) return ` ${noteNothingRunning()}`
  return ` ${formatStillRunning(leftover)}; KillBgTask(task_id: ${id}) kills ${leftover.length === 1 ? 'it' : 'them'}.`
}

function jobRuntimeMs({ record }: Job): number {
  return (record.endedAt ?? Date.now()) - record.startedAt
}

/** How a job ended, as a code; `exit` has an exit code. */
type JobEnd = 'exit' | 'killed' | 'server-stopped' | 'server-lost' | 'unknown'

export function getJobEnd({ record }: Pick<Job, 'record'>): JobEnd {
  const { exitCode = null, ending } = record
  if (ending === 'server-lost' || ending === 'server-stopped' || ending === 'killed') return ending
  return exitCode === null ? 'unknown' : 'exit'
}

const JOB_END_TEXT: Readonly<Record<Exclude<JobEnd, 'exit'>, string>> = {
  killed: 'killed',
  'server-stopped': 'killed when its server exited',
  'server-lost': 'killed because its server was lost',
  unknown: 'exit status unknown',
}

/** The same text in every tool. */
export function describeJobEnd(job: Pick<Job, 'record'>): string {
  const end = getJobEnd(job)
  if (job.record.ending === 'machine-lost') return `lost with machine ${job.record.machine ?? 'unknown'}`
  if (end !== 'exit') return JOB_END_TEXT[end]
  const { exitCode, signal } = job.record
  return signal ? `exit code ${exitCode} (${signal})` : `exit code ${exitCode}`
}
