// The jobs of one user in one project, each with its record, its output and the status it ended with. Servers come and
// go and several may be at work here; whoever looks sees a record whole, as it is or as it was before.

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
  /** Gives it the next number. Throws a Failure where nothing can be kept. */
  create(fields: Omit<JobRecord, 'id'>): JobRecord
  /** Changes a record that was just made, at once: it survives the end of the server, not of the machine. Never throws. */
  complete(record: JobRecord): void
  /** Resolves when the record would survive the end of the machine; the last one asked for is the one that stays. */
  save(record: JobRecord): Promise<void>
  load(id: number): Promise<JobRecord | undefined>
  /** In the order of their numbers. */
  list(): Promise<readonly JobRecord[]>
  outputFolder(id: number): string
  /** Where whoever waits for a job that outlives its server leaves its exit status: `"<code>\n"`, put there by rename. */
  statusFile(id: number): string
  /** What the status file says. */
  status(id: number): Promise<number | undefined>
  /** Takes away what is kept of a job that is not worth it; its number stays used. Never throws. */
  remove(id: number): Promise<void>
  /** Removes jobs that ended, the oldest first, until the limits are kept; never one that runs. Never throws. Gives their numbers. */
  prune(limits: PruneLimits): Promise<readonly number[]>
}

export function jobsFolderOf(stateDir: string, project: string, user: string): string {
  return join(stateDir, 'jobs', hash('sha256', `${project}\0${user}`).slice(0, 16))
}

export function openJobRecords(folder: string): JobRecords {
  const saving = new Map<number, Promise<void>>()

  async function save(record: JobRecord): Promise<void> {
    const { id } = record
    const before = saving.get(id)?.catch(() => undefined) ?? Promise.resolve()
    const done = before.then(() => replaceFileLater(recordFile(folder, id), JSON.stringify(record)))
    saving.set(id, done)
    try {
      await done
    } catch (error) {
      throw notKept(folder, error)
    } finally {
      if (saving.get(id) === done) saving.delete(id)
    }
  }

  return {
    create(fields) {
      try {
        ensurePrivateFolder(folder)
        const record: JobRecord = { ...fields, id: takeNumber(folder) }
        putNew(recordFile(folder, record.id), JSON.stringify(record))
        return record
      } catch (error) {
        throw notKept(folder, error)
      }
    },
    complete(record) {
      try {
        putNew(recordFile(folder, record.id), JSON.stringify(record))
      } catch {
        // The disk is full since a moment ago; what was written first is still there.
      }
    },
    save,
    load: (id) => readRecord(folder, id),
    async list() {
      const records: JobRecord[] = []
      // One after the other: all at once could need more open files than there may be.
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

// Not synced, so that starting a job does not wait for the disk: should the machine stop now, so does the job.
function putNew(path: string, text: string): void {
  const beside = `${path}.new`
  try {
    writeFileSync(beside, text, { flag: 'wx', mode: 0o600 })
    renameSync(beside, path)
  } finally {
    rmSync(beside, { force: true })
  }
}
