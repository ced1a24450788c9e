// A background task in words and in fields, the same in every tool that speaks of one.

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

/** What follows an output that was read. `left`: what it started that still runs, where that is known. */
export function statusNote(job: Job, isNothingNew: boolean, left?: readonly LeftProcess[]): string {
  const { id, isRunning } = job
  const nothing = isNothingNew ? 'Nothing new. ' : ''
  if (isRunning) return `${nothing}Background task ${id} is running, ${span(runtimeOf(job))} so far.`
  const ended = `${nothing}Background task ${id} ended after ${span(runtimeOf(job))}: ${howItEnded(job)}.`
  return `${ended}${unknownNote(job)}${leftNote(id, left)}`
}

function unknownNote({ record: { ending } }: Job): string {
  return ending === 'unknown' ? ' It may have completed: check before you repeat it.' : ''
}

function leftNote(id: number, left: readonly LeftProcess[] | undefined): string {
  if (left === undefined) return ''
  if (left.length === 0) return ' Nothing that it started still runs.'
  return ` ${stillRunning(left)}; KillBgTask(task_id: ${id}) ends ${left.length === 1 ? 'it' : 'them'}.`
}

function runtimeOf({ record }: Job): number {
  return (record.endedAt ?? Date.now()) - record.startedAt
}
