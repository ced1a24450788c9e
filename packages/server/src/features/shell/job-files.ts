// The directories and files of jobs: one directory for a project, with the server registry and one directory for each user,
// in which each job has a folder named by its id. Allocates ids, and reads records and exit statuses. Used by job-store,
// which writes them, and by modules that find the directories. Reads files and creates job folders.

import { mkdirSync, readdirSync, rmdirSync } from 'node:fs'
import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'

import { Failure } from '@scorpiox/mcp/errors'
import { hasErrorCode } from '@scorpiox/mcp/os'
import { hashForFileName, isPrivateFolder, readOwnFile, readOwnFileNow } from '../../storage/private-files.js'
import { type JobRecord, parseJobRecord } from './job-record.js'

export interface JobDirectory {
  readonly registryPath: string
  userDirectory(user: string): string
}

export function jobDirectoryOf(stateDir: string, project: string): JobDirectory {
  const directory = join(stateDir, 'jobs', hashForFileName(project))
  return { registryPath: directory, userDirectory: (user) => join(directory, hashForFileName(user)) }
}

/** Directories of all users of a project. */
export async function listUserDirectories({ registryPath }: JobDirectory): Promise<readonly string[]> {
  const names = await readdir(registryPath)
  return names.filter((name) => /^[0-9a-f]{16}$/.test(name)).map((name) => join(registryPath, name))
}

/** The job directory cannot be used. A background job then cannot start; a foreground command runs without a record. */
export class JobStorageFailure extends Failure {}

/** Turns a Failure of `work` into a JobStorageFailure. */
export function asJobStorageFailure<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw error instanceof Failure ? new JobStorageFailure(error.message, { cause: error }) : error
  }
}

const MAX_ID = 999_999_999

/**
 * Allocates job ids by creating a folder, which only one process can do. Ids increase and are never reused, even with
 * several servers and while old jobs are removed. The highest folder records the last id, so it is never removed, even
 * if the allocation failed halfway.
 */
export function allocateJobId(folder: string): number {
  for (;;) {
    const id = findHighestId(folder) + 1
    if (id > MAX_ID) throw new Failure(`No job IDs are left. Delete ${folder} to start again at 1`)
    if (!tryCreateFolder(join(folder, String(id)))) continue
    // Since the folder was read, another process may have allocated, used and removed this id; then higher ids exist.
    if (findHighestId(folder) === id) return id
    removeEmptyFolder(join(folder, String(id)))
  }
}

/** Reserves an id that was allocated elsewhere; false if it is taken. */
export function reserveJobId(folder: string, id: number): boolean {
  if (id > MAX_ID) throw new Failure(`No job IDs are left: ${id} is too large`)
  return tryCreateFolder(join(folder, String(id)))
}

function isJobId(name: string): boolean {
  return /^[1-9]\d{0,8}$/.test(name)
}

/** 0 for a folder that does not exist. */
export function findHighestId(folder: string): number {
  return listNames(folder).reduce((highest, name) => (isJobId(name) ? Math.max(highest, Number(name)) : highest), 0)
}

function listNames(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT')) return []
    throw error
  }
}

function tryCreateFolder(path: string): boolean {
  try {
    mkdirSync(path, { mode: 0o700 })
    return true
  } catch (error) {
    if (hasErrorCode(error, 'EEXIST')) return false
    throw error
  }
}

function removeEmptyFolder(path: string): void {
  try {
    rmdirSync(path)
  } catch {
    // An empty folder does no harm.
  }
}

const MAX_RECORD_BYTES = 4 * 1024 * 1024
const MAX_STATUS_BYTES = 16

export function jobFolderPath(folder: string, id: number): string {
  return join(folder, String(id))
}

export function jobRecordPath(folder: string, id: number): string {
  return join(folder, String(id), 'record.json')
}

export function exitStatusPath(folder: string, id: number): string {
  return join(folder, String(id), 'status')
}

/** The FIFO through which a job that outlives its server is typed into. */
export function inputFifoPath(folder: string, id: number): string {
  return join(folder, String(id), 'input')
}

/** What was typed into a job. */
export function typedInputPath(folder: string, id: number): string {
  return join(folder, String(id), 'typed')
}

export function outputFolderPath(folder: string, id: number): string {
  return join(folder, String(id), 'output')
}

/** Sorted; includes jobs without a record. */
export async function listJobIds(folder: string): Promise<readonly number[]> {
  const names = isPrivateFolder(folder) ? await readdir(folder).catch(() => []) : []
  // Of many, sorting with a function takes ten times as long.
  return [...Uint32Array.from(names.filter(isJobId), Number).sort()]
}

/** The time of a folder may be this coarse, or that of a clock that is a little behind. */
const FOLDER_TIME_MS = 2000

/** Lists the job ids of a folder repeatedly. The folder is read only if its time says that it may have changed. */
export function createJobIdLister(folder: string): () => Promise<readonly number[]> {
  let known: { readonly ids: readonly number[]; readonly stamp: string } | undefined
  return async () => {
    const stat = isPrivateFolder(folder) ? await lstat(folder, { bigint: true }).catch(() => undefined) : undefined
    if (!stat) return []
    const stamp = `${stat.dev}:${stat.ino}:${stat.mtimeNs}:${stat.ctimeNs}`
    if (known?.stamp === stamp) return known.ids
    const isSettled = Math.abs(Date.now() - Number(stat.mtimeMs)) > FOLDER_TIME_MS
    const ids = await listJobIds(folder)
    // A change in the same tick of the clock as this one would not change the time again.
    known = isSettled ? { ids, stamp } : undefined
    return ids
  }
}

/** A damaged record, or one in a folder that others can write to, counts as missing. */
export async function readJobRecord(folder: string, id: number): Promise<JobRecord | undefined> {
  if (!isJobId(String(id)) || !isPrivateFolder(folder)) return undefined
  const file = await readOwnFile(jobRecordPath(folder, id), MAX_RECORD_BYTES)
  const record = file && parseJobRecord(file.text)
  return record?.id === id ? record : undefined
}

/** How long records are read at a time before other work gets its turn. */
const READ_SLICE_MS = 5

/**
 * The same for many, in the same order. Reads without the thread pool, which takes ten times as long for small files,
 * and in slices.
 */
export async function readJobRecords(folder: string, ids: readonly number[]): Promise<readonly JobRecord[]> {
  const records: JobRecord[] = []
  if (!isPrivateFolder(folder)) return records
  let sliceEnd = performance.now() + READ_SLICE_MS
  for (const id of ids) {
    const text = readOwnFileNow(jobRecordPath(folder, id), MAX_RECORD_BYTES)
    const record = text === undefined ? undefined : parseJobRecord(text)
    if (record?.id === id) records.push(record)
    if (performance.now() < sliceEnd) continue
    await setImmediate()
    sliceEnd = performance.now() + READ_SLICE_MS
  }
  return records
}

export async function readExitStatus(folder: string, id: number): Promise<number | undefined> {
  if (!isJobId(String(id)) || !isPrivateFolder(folder)) return undefined
  const file = await readOwnFile(exitStatusPath(folder, id), MAX_STATUS_BYTES)
  return file && /^\d{1,3}\n$/.test(file.text) ? Number(file.text) : undefined
}
