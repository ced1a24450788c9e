// Reads, writes and removes a config file of another program: follows links, keeps mode and owner, writes a backup, and
// does not overwrite changes that were made since it was read. Used by install and uninstall.

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

import { errorMessage, Failure } from '@scorpiox/mcp/errors'
import { hasErrorCode } from '@scorpiox/mcp/os'
import {
  type FilePermissions,
  fsyncFolder,
  makePrivateFolder,
  replaceFile,
  writeNewFileSynced,
} from '@scorpiox/mcp/atomic-file'
import { timestampForFileName } from '@scorpiox/server/storage/private-files'
import { isInsideDirectory } from '@scorpiox/server/files/path-containment'

const MAX_BYTES = 64 * 1024 * 1024
const MAX_BACKUPS = 3
const BACKUP_SUFFIX = '.scorpiox-backup-'
const NEW_MODE = 0o600
const BOM = '\uFEFF'

export interface ClientConfigFile {
  /** The real path, with links resolved. */
  readonly path: string
  /** Without the byte order mark; undefined if there is no file. */
  readonly text: string | undefined
  readonly hasBom: boolean
  readonly bytes: Buffer | undefined
  readonly permissions: FilePermissions
}

/**
 * Throws a Failure whose message continues the path, as in `is a folder`. With `inside`, a link that leads out of that
 * directory is refused.
 */
export function readClientConfig(requestedPath: string, inside?: string): ClientConfigFile {
  const path = resolvePath(requestedPath)
  if (path !== undefined && inside !== undefined && !isInsideDirectory(path, realpathSync(inside))) {
    throw new Failure(`is a link that leads out of the project, to ${path}`)
  }
  const opened = path === undefined ? undefined : openAndRead(path)
  if (path === undefined || opened === undefined) {
    return { path: requestedPath, text: undefined, hasBom: false, bytes: undefined, permissions: { mode: NEW_MODE } }
  }
  const { bytes, stat } = opened
  const text = decode(bytes)
  const hasBom = text.startsWith(BOM)
  const permissions = { mode: stat.mode & 0o7777, owner: stat }
  return { path, text: hasBom ? text.slice(1) : text, hasBom, bytes, permissions }
}

/** Returns the path of the backup. */
export function writeClientConfig(file: ClientConfigFile, text: string, date: Date): string | undefined {
  return withWriteFailure(file, () => {
    requireWritable(file)
    if (file.bytes === undefined) makePrivateFolder(dirname(file.path))
    const backup = writeBackup(file, date)
    const content = (file.hasBom ? BOM : '') + text
    try {
      if (!replaceFile(file.path, content, () => isUnchanged(file), file.permissions)) throw changedSinceRead()
    } catch (error) {
      if (backup !== undefined) rmSync(backup, { force: true })
      throw error
    }
    removeOldBackups(file.path)
    return backup
  })
}

export function removeClientConfig(file: ClientConfigFile): void {
  withWriteFailure(file, () => {
    requireWritable(file)
    if (!isUnchanged(file)) throw changedSinceRead()
    rmSync(file.path)
    fsyncFolder(dirname(file.path))
  })
}

function resolvePath(requestedPath: string): string | undefined {
  try {
    return realpathSync(requestedPath)
  } catch (error) {
    if (!hasErrorCode(error, 'ENOENT', 'ENOTDIR')) throw toReadFailure(error)
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
    if (hasErrorCode(error, 'ENOENT')) return undefined
    // The path was resolved above, so a link here is new.
    throw hasErrorCode(error, 'ELOOP') ? changedSinceRead() : toReadFailure(error)
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

function requireWritable({ path, bytes }: ClientConfigFile): void {
  // A read-only file could be replaced by rename, but it was probably made read-only on purpose.
  if (bytes !== undefined) accessSync(path, constants.W_OK)
}

function isUnchanged({ path, bytes }: ClientConfigFile): boolean {
  const current = openAndRead(path)?.bytes
  return current === undefined || bytes === undefined ? current === bytes : current.equals(bytes)
}

function writeBackup({ path, bytes, permissions }: ClientConfigFile, date: Date): string | undefined {
  if (bytes === undefined) return undefined
  const time = timestampForFileName(date)
  for (let count = 1; ; count++) {
    const backup = `${path}${BACKUP_SUFFIX}${time}${count === 1 ? '' : `-${count}`}`
    try {
      // The bytes that were read, not the file itself: it may have become a link to a file that others must not read.
      writeNewFileSynced(backup, bytes, permissions)
      return backup
    } catch (error) {
      if (!hasErrorCode(error, 'EEXIST')) rmSync(backup, { force: true })
      if (!hasErrorCode(error, 'EEXIST') || count > 99) throw error
    }
  }
}

function removeOldBackups(path: string): void {
  const folder = dirname(path)
  const backups = readdirSync(folder).filter((name) => name.startsWith(`${basename(path)}${BACKUP_SUFFIX}`))
  for (const name of backups.toSorted().slice(0, -MAX_BACKUPS)) rmSync(join(folder, name), { force: true })
}

function withWriteFailure<T>({ path }: ClientConfigFile, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (error instanceof Failure) throw error
    const problem = hasErrorCode(error, 'EACCES', 'EPERM', 'EROFS')
      ? 'is not writable by this user'
      : 'cannot be written'
    throw new Failure(`${problem} (${errorMessage(error)}); nothing was changed in ${dirname(path)}`, { cause: error })
  }
}

function toReadFailure(error: unknown): Failure {
  if (hasErrorCode(error, 'EACCES', 'EPERM')) return new Failure('is not readable by this user')
  if (hasErrorCode(error, 'ELOOP')) return new Failure('is a circular link')
  return new Failure(`cannot be read (${errorMessage(error)})`)
}

function changedSinceRead(): Failure {
  return new Failure('was changed by another program since it was read, and was left as it is; try again')
}
