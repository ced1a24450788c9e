// The jobs of one user in one project: record, output and exit status of each. Several servers may use the folder at
// the same time; a record is always read whole, in its old or its new version.

import { hash } from 'node:crypto'
import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { replaceFileLater } from './atomic-file.js'
import { jobNumbersIn, outputFolder, readRecord, readStatus, recordFile, statusFile } from './job-files.js'
import { takeNumber } from './job-numbers.js'
import { emptyJob, pruneJobs, type PruneLimits } from './job-pruning.js'
import type { JobRecord } from './job-record.js'
import { ensurePrivateFolder, notKept } from './private-folder.js'

export interface JobRecords {
  /** Allocates an id and writes the record. Throws a Failure if it cannot be written. */
  create(fields: Omit<JobRecord, 'id'>): JobRecord
  /** Updates a new record synchronously: it survives the server, but not a power failure. Never throws. */
  complete(record: JobRecord): void
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
  status(id: number): Promise<number | undefined>
  /** Deletes the files of a job; its id stays used. Never throws. */
  remove(id: number): Promise<void>
  /** Deletes ended jobs, oldest first, until the limits are met, and returns their ids. Never throws. */
  prune(limits: PruneLimits): Promise<readonly number[]>
}

export function jobsFolderOf(stateDir: string, project: string, user: string): string {
  return join(stateDir, 'jobs', hash('sha256', `${project}\0${user}`).slice(0, 16))
}

export function openJobRecords(folder: string): JobRecords {
  const pendingSaves = new Map<number, Promise<void>>()

  async function save(record: JobRecord): Promise<void> {
    const { id } = record
    const previous = pendingSaves.get(id)?.catch(() => undefined) ?? Promise.resolve()
    const saved = previous.then(() => replaceFileLater(recordFile(folder, id), JSON.stringify(record)))
    pendingSaves.set(id, saved)
    try {
      await saved
    } catch (error) {
      throw notKept(folder, error)
    } finally {
      if (pendingSaves.get(id) === saved) pendingSaves.delete(id)
    }
  }

  return {
    create(fields) {
      try {
        ensurePrivateFolder(folder)
        const record: JobRecord = { ...fields, id: takeNumber(folder) }
        writeUnsynced(recordFile(folder, record.id), JSON.stringify(record))
        return record
      } catch (error) {
        throw notKept(folder, error)
      }
    },
    complete(record) {
      try {
        writeUnsynced(recordFile(folder, record.id), JSON.stringify(record))
      } catch {
        // The disk may be full; the first version of the record is still there.
      }
    },
    save,
    load: (id) => readRecord(folder, id),
    async list() {
      const records: JobRecord[] = []
      // Sequentially, to limit the number of open files.
      for (const id of await jobNumbersIn(folder)) {
        const record = await readRecord(folder, id)
        if (record) records.push(record)
      }
      return records
    },
    outputFolder: (id) => outputFolder(folder, id),
    statusFile: (id) => statusFile(folder, id),
    status: (id) => readStatus(folder, id),
    remove: (id) => emptyJob(folder, id),
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
