// Text and fields of a background job, shared by all tools that show one.

import { oneLine } from '../../lib/one-line.js'
import { howItEnded } from '../../services/jobs/how-it-ended.js'
import type { Job } from '../../services/jobs/job.js'
import type { LeftProcess } from '../../services/shell/left-process.js'
import { stillRunning } from './left-processes.js'
import { span } from './words.js'

const MAX_COMMAND = 200

export function statusOf(job: Job) {
  const { id, isRunning, record } = job
  const status: 'running' | 'ended' = isRunning ? 'running' : 'ended'
  const { exitCode = null, signal = null } = record
  return {
    task_id: id,
    status,
    command: oneLine(record.command, MAX_COMMAND),
    runtimeMs: runtimeOf(job),
    exitCode,
    signal,
  }
}

/** One line of a list. */
export function jobLine(job: Job): string {
  const { id, isRunning, record } = job
  return `${id}  ${isRunning ? 'running' : howItEnded(job)}  ${span(runtimeOf(job))}  ${oneLine(record.command, MAX_COMMAND)}`
}

/** The note after the output of a job. `left`: its processes that still run, if known. */
export function statusNote(job: Job, isNothingNew: boolean, leftover?: readonly LeftProcess[]): string {
  const { id, isRunning } = job
  const prefix = isNothingNew ? 'Nothing new. ' : ''
  if (isRunning) return `${prefix}Background task ${id} is running, ${span(runtimeOf(job))} so far.`
  const ended = `${prefix}Background task ${id} ended after ${span(runtimeOf(job))}: ${howItEnded(job)}.`
  return `${ended}${unknownNote(job)}${leftNote(id, leftover)}`
}

function unknownNote({ record: { ending } }: Job): string {
  return ending === 'unknown' ? ' It may have completed: check before you repeat it.' : ''
}

function leftNote(id: number, leftover: readonly LeftProcess[] | undefined): string {
  if (leftover === undefined) return ''
  if (leftover.length === 0) return ' Nothing that it started still runs.'
  return ` ${stillRunning(leftover)}; KillBgTask(task_id: ${id}) ends ${leftover.length === 1 ? 'it' : 'them'}.`
}

function runtimeOf({ record }: Job): number {
  return (record.endedAt ?? Date.now()) - record.startedAt
}
