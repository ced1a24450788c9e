// Edits a config file of another program: follows links, keeps mode and owner, writes a backup, and does not overwrite
// changes that were made since it was read.

import {
  accessSync,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  type Stats,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'

import { compactTime } from '../lib/compact-time.js'
import { hasCode } from '../lib/error-code.js'
import { Failure } from '../lib/failure.js'
import { reasonOf } from '../lib/reason-of.js'
import { makePrivateFolder, replaceFile, syncFolder, writeDurably, type Like } from './atomic-file.js'

const MAX_BYTES = 64 * 1024 * 1024
const MAX_BACKUPS = 3
const BACKUP_SUFFIX = '.scorpiox-backup-'
const NEW_MODE = 0o600
const BOM = '\uFEFF'

export interface PersonsFile {
  /** The real path, with links resolved. */
  readonly path: string
  /** Without the byte order mark; undefined if there is no file. */
  readonly text: string | undefined
  readonly hasMark: boolean
  readonly bytes: Buffer | undefined
  readonly like: Like
}

/** Throws a Failure whose message continues the path, as in `is a folder`. */
export function readPersonsFile(requestedPath: string): PersonsFile {
  const path = resolvePath(requestedPath)
  const opened = path === undefined ? undefined : openAndRead(path)
  if (path === undefined || opened === undefined) {
    return { path: requestedPath, text: undefined, hasMark: false, bytes: undefined, like: { mode: NEW_MODE } }
  }
  const { bytes, stat } = opened
  const text = decode(bytes)
  const hasMark = text.startsWith(BOM)
  const like = { mode: stat.mode & 0o7777, owner: stat }
  return { path, text: hasMark ? text.slice(1) : text, hasMark, bytes, like }
}

/** Returns the path of the backup. */
export function writePersonsFile(file: PersonsFile, text: string, date: Date): string | undefined {
  return withWriteFailure(file, () => {
    requireWritable(file)
    if (file.bytes === undefined) makePrivateFolder(dirname(file.path))
    const backup = writeBackup(file, date)
    const content = (file.hasMark ? BOM : '') + text
    try {
      if (!replaceFile(file.path, content, () => isUnchanged(file), file.like)) throw changedSinceRead()
    } catch (error) {
      if (backup !== undefined) rmSync(backup, { force: true })
      throw error
    }
    removeOldBackups(file.path)
    return backup
  })
}

export function removePersonsFile(file: PersonsFile): void {
  withWriteFailure(file, () => {
    requireWritable(file)
    if (!isUnchanged(file)) throw changedSinceRead()
    rmSync(file.path)
    syncFolder(dirname(file.path))
  })
}

function resolvePath(requestedPath: string): string | undefined {
  try {
    return realpathSync(requestedPath)
  } catch (error) {
    if (!hasCode(error, 'ENOENT', 'ENOTDIR')) throw toReadFailure(error)
    if (lstatSync(requestedPath, { throwIfNoEntry: false })?.isSymbolicLink()) {
      throw new Failure('is a link to a missing file')
    }
    return undefined
  }
}

interface OpenedFile {
  readonly bytes: Buffer
  /** Of the opened file. */
  readonly stat: Stats
}

function openAndRead(path: string): OpenedFile | undefined {
  try {
    // Opening a FIFO would block.
    const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    try {
      return readOpenFile(file)
    } finally {
      closeSync(file)
    }
  } catch (error) {
    if (error instanceof Failure) throw error
    if (hasCode(error, 'ENOENT')) return undefined
    // The path was resolved above, so a link here is new.
    throw hasCode(error, 'ELOOP') ? changedSinceRead() : toReadFailure(error)
  }
}

function readOpenFile(file: number): OpenedFile {
  const stat = fstatSync(file)
  if (stat.isDirectory()) throw new Failure('is a folder, not a file')
  if (!stat.isFile()) throw new Failure('is not a regular file')
  if (stat.size > MAX_BYTES) throw new Failure(`is larger than ${MAX_BYTES / 1024 / 1024} MB`)
  return { bytes: readFileSync(file), stat }
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new Failure('is not UTF-8 text')
  }
}

function requireWritable({ path, bytes }: PersonsFile): void {
  // A read-only file could be replaced by rename, but it was probably made read-only on purpose.
  if (bytes !== undefined) accessSync(path, constants.W_OK)
}

function isUnchanged({ path, bytes }: PersonsFile): boolean {
  const current = openAndRead(path)?.bytes
  return current === undefined || bytes === undefined ? current === bytes : current.equals(bytes)
}

function writeBackup({ path, bytes, like }: PersonsFile, date: Date): string | undefined {
  if (bytes === undefined) return undefined
  const time = compactTime(date)
  for (let count = 1; ; count++) {
    const backup = `${path}${BACKUP_SUFFIX}${time}${count === 1 ? '' : `-${count}`}`
    try {
      // The bytes that were read, not the file itself: it may have become a link to a file that others must not read.
      writeDurably(backup, bytes, like)
      return backup
    } catch (error) {
      if (!hasCode(error, 'EEXIST')) rmSync(backup, { force: true })
      if (!hasCode(error, 'EEXIST') || count > 99) throw error
    }
  }
}

function removeOldBackups(path: string): void {
  const folder = dirname(path)
  const backups = readdirSync(folder).filter((name) => name.startsWith(`${basename(path)}${BACKUP_SUFFIX}`))
  for (const name of backups.toSorted().slice(0, -MAX_BACKUPS)) rmSync(join(folder, name), { force: true })
}

function withWriteFailure<T>({ path }: PersonsFile, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (error instanceof Failure) throw error
    const problem = hasCode(error, 'EACCES', 'EPERM', 'EROFS') ? 'may not be changed by this user' : 'cannot be written'
    throw new Failure(`${problem} (${reasonOf(error)}); nothing was changed in ${dirname(path)}`, { cause: error })
  }
}

function toReadFailure(error: unknown): Failure {
  if (hasCode(error, 'EACCES', 'EPERM')) return new Failure('may not be read by this user')
  if (hasCode(error, 'ELOOP')) return new Failure('is a circular link')
  return new Failure(`cannot be read (${reasonOf(error)})`)
}

function changedSinceRead(): Failure {
  return new Failure('was changed by another program since it was read, and was left as it is; try again')
}
