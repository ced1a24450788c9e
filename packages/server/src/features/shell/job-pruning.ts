// Deletes old jobs: those that ended too long ago, exceed the number of jobs or the total output size, oldest first.
// Running jobs and the highest id are never deleted. A folder without a record may belong to a job that is just
// starting, so only its age counts. What cannot be deleted is tried again the next time.

import { lstat, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'

import {
  exitStatusPath,
  jobFolderPath,
  jobRecordPath,
  listJobIds,
  outputFolderPath,
  readJobRecord,
} from './job-files.js'
import type { JobRecord } from './job-record.js'

/** An empty folder may belong to a job whose record is not written yet. */
const EMPTY_FOLDER_MS = 60 * 1000

export interface PruneLimits {
  readonly keepEnded: number
  readonly maxAgeMs: number
  /** Total output of all jobs. */
  readonly maxTotalBytes: number
}

interface InspectedJob {
  readonly id: number
  readonly record: JobRecord | undefined
  readonly changedAt: number
  readonly isEmpty: boolean
  readonly bytes: number
}

export async function pruneJobs(folder: string, limits: PruneLimits): Promise<readonly number[]> {
  const jobs: InspectedJob[] = []
  for (const id of await listJobIds(folder)) jobs.push(await inspectJob(folder, id))
  const ids = selectJobsToDelete(jobs, limits, Date.now())
  for (const id of ids) {
    // The record is deleted last: a partly deleted job must still count as ended.
    await removePath(outputFolderPath(folder, id))
    await removePath(jobFolderPath(folder, id))
  }
  return ids
}

/** Deletes everything but the empty folder, which reserves the id. */
export async function deleteJobFiles(folder: string, id: number): Promise<void> {
  await removePath(outputFolderPath(folder, id))
  await removePath(exitStatusPath(folder, id))
  await removePath(jobRecordPath(folder, id))
}

async function inspectJob(folder: string, id: number): Promise<InspectedJob> {
  const [record, stat, names, bytes] = await Promise.all([
    readJobRecord(folder, id),
    lstat(jobFolderPath(folder, id)).catch(() => undefined),
    readdir(jobFolderPath(folder, id)).catch(() => undefined),
    countBytes(outputFolderPath(folder, id)),
  ])
  return { id, record, changedAt: stat?.mtimeMs ?? Infinity, isEmpty: names?.length === 0, bytes }
}

async function countBytes(folder: string): Promise<number> {
  const names = await readdir(folder).catch(() => [])
  const sizes = await Promise.all(names.map((name) => lstat(join(folder, name)).catch(() => undefined)))
  return sizes.reduce((sum, stat) => sum + (stat?.size ?? 0), 0)
}

function selectJobsToDelete(jobs: readonly InspectedJob[], limits: PruneLimits, now: number): readonly number[] {
  // Sorted by id, so the last is the highest.
  const deletable = jobs.slice(0, -1)
  const withoutRecord = deletable.filter(
    ({ record, changedAt, isEmpty }) => !record && now - changedAt > (isEmpty ? EMPTY_FOLDER_MS : limits.maxAgeMs),
  )
  const ended = deletable
    .flatMap(({ id, record, bytes }) => (record?.endedAt === undefined ? [] : [{ id, bytes, endedAt: record.endedAt }]))
    .sort((a, b) => b.endedAt - a.endedAt || b.id - a.id)
  const endedBytes = ended.reduce((sum, { bytes }) => sum + bytes, 0)
  // Jobs that have not ended are counted first.
  let total = jobs.reduce((sum, { bytes }) => sum + bytes, 0) - endedBytes
  const exceeding = ended.filter(({ bytes, endedAt }, index) => {
    total += bytes
    return index >= limits.keepEnded || now - endedAt > limits.maxAgeMs || total > limits.maxTotalBytes
  })
  return [...withoutRecord, ...exceeding].map(({ id }) => id)
}

async function removePath(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true }).catch(() => undefined)
}
