// A background task in words and in fields, the same in every tool that speaks of one.

import { oneLine } from '../../lib/one-line.js'
import { howItEnded } from '../../services/jobs/how-it-ended.js'
import type { Job } from '../../services/jobs/job.js'
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

/** What follows an output that was read. */
export function statusNote(job: Job, isNothingNew: boolean): string {
  const { id, isRunning } = job
  const nothing = isNothingNew ? 'Nothing new. ' : ''
  if (isRunning) return `${nothing}Background task ${id} is running, ${span(runtimeOf(job))} so far.`
  return `${nothing}Background task ${id} ended after ${span(runtimeOf(job))}: ${howItEnded(job)}.`
}

function runtimeOf({ record }: Job): number {
  return (record.endedAt ?? Date.now()) - record.startedAt
}
