// Which jobs are removed: those that ended too long ago, are too many or have too much output, the oldest first. One
// that runs is never touched, nor the highest number, by which the next is found. A folder without a record may be of
// a job that begins just now, so only its age counts; of an empty one a minute. What cannot be removed is tried again the
// next time.

import { lstat, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'

import { jobFolder, jobNumbersIn, outputFolder, readRecord, recordFile, statusFile } from './job-files.js'
import type { JobRecord } from './job-record.js'

/** Between the taking of a number and its record lies a moment. */
const EMPTY_MS = 60 * 1000

export interface PruneLimits {
  readonly keepEnded: number
  readonly maxAgeMs: number
  /** Of the output of all jobs together. */
  readonly maxTotalBytes: number
}

interface Found {
  readonly id: number
  readonly record: JobRecord | undefined
  readonly changedAt: number
  readonly isEmpty: boolean
  readonly bytes: number
}

export async function pruneJobs(folder: string, limits: PruneLimits): Promise<readonly number[]> {
  const found: Found[] = []
  for (const id of await jobNumbersIn(folder)) found.push(await lookAt(folder, id))
  const ids = condemned(found, limits, Date.now())
  for (const id of ids) {
    // The record last: of what was removed by half it must still be known that it ended.
    await remove(outputFolder(folder, id))
    await remove(jobFolder(folder, id))
  }
  return ids
}

/** All of a job but its number: an empty folder, which is soon removed. */
export async function emptyJob(folder: string, id: number): Promise<void> {
  await remove(outputFolder(folder, id))
  await remove(statusFile(folder, id))
  await remove(recordFile(folder, id))
}

async function lookAt(folder: string, id: number): Promise<Found> {
  const [record, stat, names, bytes] = await Promise.all([
    readRecord(folder, id),
    lstat(jobFolder(folder, id)).catch(() => undefined),
    readdir(jobFolder(folder, id)).catch(() => undefined),
    bytesIn(outputFolder(folder, id)),
  ])
  return { id, record, changedAt: stat?.mtimeMs ?? Infinity, isEmpty: names?.length === 0, bytes }
}

async function bytesIn(folder: string): Promise<number> {
  const names = await readdir(folder).catch(() => [])
  const sizes = await Promise.all(names.map((name) => lstat(join(folder, name)).catch(() => undefined)))
  return sizes.reduce((sum, stat) => sum + (stat?.size ?? 0), 0)
}

function condemned(found: readonly Found[], limits: PruneLimits, now: number): readonly number[] {
  // They come in the order of their numbers.
  const mortal = found.slice(0, -1)
  const broken = mortal.filter(
    ({ record, changedAt, isEmpty }) => !record && now - changedAt > (isEmpty ? EMPTY_MS : limits.maxAgeMs),
  )
  const ended = mortal
    .flatMap(({ id, record, bytes }) => (record?.endedAt === undefined ? [] : [{ id, bytes, endedAt: record.endedAt }]))
    .sort((a, b) => b.endedAt - a.endedAt || b.id - a.id)
  const endedBytes = ended.reduce((sum, { bytes }) => sum + bytes, 0)
  // What is not ended takes its room first.
  let total = found.reduce((sum, { bytes }) => sum + bytes, 0) - endedBytes
  const over = ended.filter(({ bytes, endedAt }, index) => {
    total += bytes
    return index >= limits.keepEnded || now - endedAt > limits.maxAgeMs || total > limits.maxTotalBytes
  })
  return [...broken, ...over].map(({ id }) => id)
}

async function remove(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true }).catch(() => undefined)
}
