// The jobs of one user in one project: record, output and exit status of each. Several servers may use the folder at
// the same time; a record is always read whole, in its old or its new version.

import { hash } from 'node:crypto'
import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { replaceFileAsync } from '@scorpiox/mcp/util/atomic-file'
import { ensurePrivateFolder, toWriteFailure } from '../../storage/private-folder.js'
import {
  allocateJobId,
  exitStatusPath,
  jobRecordPath,
  listJobIds,
  outputFolderPath,
  readExitStatus,
  readJobRecord,
} from './job-files.js'
import { deleteJobFiles, pruneJobs, type PruneLimits } from './job-pruning.js'
import type { JobRecord } from './job-record.js'

export interface JobStore {
  /** Allocates an id and writes the record. Throws a Failure if it cannot be written. */
  create(fields: Omit<JobRecord, 'id'>): JobRecord
  /** Updates a new record synchronously: it survives the server, but not a power failure. Never throws. */
  updateNow(record: JobRecord): void
  /** Resolves when the record is synced to disk. The last call wins. */
  save(record: JobRecord): Promise<void>
  load(id: number): Promise<JobRecord | undefined>
  /** Sorted by id. */
  list(): Promise<readonly JobRecord[]>
  outputFolder(id: number): string
  /**
   * The file into which the process that waits for a job writes its exit status, as `"<code>
   * "`, by rename.
   */
  statusFile(id: number): string
  /** Reads the status file. */
  readExitStatus(id: number): Promise<number | undefined>
  /** Deletes the files of a job; its id stays used. Never throws. */
  deleteFiles(id: number): Promise<void>
  /** Deletes ended jobs, oldest first, until the limits are met, and returns their ids. Never throws. */
  prune(limits: PruneLimits): Promise<readonly number[]>
}

export function jobsFolderOf(stateDir: string, project: string, user: string): string {
  return join(stateDir, 'jobs', hash('sha256', `${project}\0${user}`).slice(0, 16))
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
        writeUnsynced(jobRecordPath(folder, record.id), JSON.stringify(record))
        return record
      } catch (error) {
        throw toWriteFailure(folder, error)
      }
    },
    updateNow(record) {
      try {
        writeUnsynced(jobRecordPath(folder, record.id), JSON.stringify(record))
      } catch {
        // The disk may be full; the first version of the record is still there.
      }
    },
    save,
    load: (id) => readJobRecord(folder, id),
    async list() {
      const records: JobRecord[] = []
      // Sequentially, to limit the number of open files.
      for (const id of await listJobIds(folder)) {
        const record = await readJobRecord(folder, id)
        if (record) records.push(record)
      }
      return records
    },
    outputFolder: (id) => outputFolderPath(folder, id),
    statusFile: (id) => exitStatusPath(folder, id),
    readExitStatus: (id) => readExitStatus(folder, id),
    deleteFiles: (id) => deleteJobFiles(folder, id),
    prune: (limits) => pruneJobs(folder, limits),
  }
}

// Not synced, so that starting a job does not wait for the disk: a power failure also ends the job.
function writeUnsynced(path: string, text: string): void {
  const tempPath = `${path}.new`
  try {
    writeFileSync(tempPath, text, { flag: 'wx', mode: 0o600 })
    renameSync(tempPath, path)
  } finally {
    rmSync(tempPath, { force: true })
  }
}
