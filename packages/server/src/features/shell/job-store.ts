// The stored jobs of one user in one project: record, output and exit status of each. Creates, saves, lists and prunes
// them. Several servers may use the folder at the same time; a record is always read whole, in its old or its new version.
// Used by user-jobs, job-takeover, list-running-jobs and startup-tasks. Reads, writes and deletes files.

import { lstat, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'

import { replaceFileAsync } from '@scorpiox/mcp/atomic-file'
import { ensurePrivateFolder, replaceOwnFile, toWriteFailure } from '../../storage/private-files.js'
import {
  allocateJobId,
  createJobIdLister,
  exitStatusPath,
  findHighestId,
  inputFifoPath,
  jobFolderPath,
  jobRecordPath,
  listJobIds,
  outputFolderPath,
  readExitStatus,
  readJobRecord,
  readJobRecords,
  reserveJobId,
  typedInputPath,
} from './job-files.js'
import type { JobRecord } from './job-record.js'

export interface JobStore {
  /** Allocates an id and writes the record. Throws a Failure if it cannot be written. */
  create(fields: Omit<JobRecord, 'id'>): JobRecord
  /** Writes a record whose id comes from elsewhere; false if the id is taken here. Throws a Failure otherwise. */
  createWithId(record: JobRecord): boolean
  /** The highest id in use, 0 for none. */
  highestId(): number
  /** Updates a new record synchronously: it survives the server, but not a power failure. Never throws. */
  updateNow(record: JobRecord): void
  /** Resolves when the record is synced to disk. The last call wins. */
  save(record: JobRecord): Promise<void>
  load(id: number): Promise<JobRecord | undefined>
  /** Sorted by id. */
  list(): Promise<readonly JobRecord[]>
  /** Sorted; includes jobs without a record. */
  listIds(): Promise<readonly number[]>
  /** Those that have a record, in this order. */
  loadAll(ids: readonly number[]): Promise<readonly JobRecord[]>
  outputFolder(id: number): string
  /**
   * The file into which the process that waits for a job writes its exit status, as `"<code>
   * "`, by rename.
   */
  statusFile(id: number): string
  /** The FIFO through which a job that outlives its server is typed into. */
  inputFifo(id: number): string
  /** The file with what was typed into a job. */
  typedFile(id: number): string
  /** Reads the status file. */
  readExitStatus(id: number): Promise<number | undefined>
  /** Deletes the files of a job; its id stays used. Never throws. */
  deleteFiles(id: number): Promise<void>
  /** Deletes ended jobs, oldest first, until the limits are met, and returns their ids. Never throws. */
  prune(limits: PruneLimits): Promise<readonly number[]>
}

export function openJobStore(folder: string): JobStore {
  const pendingSaves = new Map<number, Promise<void>>()

  async function save(record: JobRecord): Promise<void> {
    const { id } = record
    const previous = pendingSaves.get(id)?.catch(() => undefined) ?? Promise.resolve()
    const saved = previous.then(() => replaceFileAsync(jobRecordPath(folder, id), JSON.stringify(record)))
    pendingSaves.set(id, saved)
    try {
      await saved
    } catch (error) {
      throw toWriteFailure(folder, error)
    } finally {
      if (pendingSaves.get(id) === saved) pendingSaves.delete(id)
    }
  }

  return {
    create(fields) {
      try {
        ensurePrivateFolder(folder)
        const record: JobRecord = { ...fields, id: allocateJobId(folder) }
        // Not synced, so that starting a job does not wait for the disk: a power failure also ends the job.
        replaceOwnFile(jobRecordPath(folder, record.id), JSON.stringify(record))
        return record
      } catch (error) {
        throw toWriteFailure(folder, error)
      }
    },
    createWithId(record) {
      try {
        ensurePrivateFolder(folder)
        if (!reserveJobId(folder, record.id)) return false
        replaceOwnFile(jobRecordPath(folder, record.id), JSON.stringify(record))
        return true
      } catch (error) {
        throw toWriteFailure(folder, error)
      }
    },
    highestId: () => findHighestId(folder),
    updateNow(record) {
      try {
        replaceOwnFile(jobRecordPath(folder, record.id), JSON.stringify(record))
      } catch {
        // The disk may be full; the first version of the record is still there.
      }
    },
    save,
    load: (id) => readJobRecord(folder, id),
    list: async () => readJobRecords(folder, await listJobIds(folder)),
    listIds: createJobIdLister(folder),
    loadAll: (ids) => readJobRecords(folder, ids),
    outputFolder: (id) => outputFolderPath(folder, id),
    statusFile: (id) => exitStatusPath(folder, id),
    inputFifo: (id) => inputFifoPath(folder, id),
    typedFile: (id) => typedInputPath(folder, id),
    readExitStatus: (id) => readExitStatus(folder, id),
    deleteFiles: (id) => deleteJobFiles(folder, id),
    prune: (limits) => pruneJobs(folder, limits),
  }
}

/** An empty folder may belong to a job whose record is not written yet. */
const EMPTY_FOLDER_MS = 60 * 1000

interface PruneLimits {
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

/**
 * Deletes old jobs: those that ended too long ago, exceed the number of jobs or the total output size, oldest first.
 * Running jobs and the highest id are never deleted. A folder without a record may belong to a job that is just
 * starting, so only its age counts. What cannot be deleted is tried again the next time.
 */
async function pruneJobs(folder: string, limits: PruneLimits): Promise<readonly number[]> {
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
async function deleteJobFiles(folder: string, id: number): Promise<void> {
  await removePath(outputFolderPath(folder, id))
  await removePath(exitStatusPath(folder, id))
  await removePath(inputFifoPath(folder, id))
  await removePath(typedInputPath(folder, id))
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
