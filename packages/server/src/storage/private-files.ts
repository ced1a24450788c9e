// Files and folders that belong to this user alone: checks that other users cannot write there, opens files without
// following links, replaces them, and makes their names. Files in any other folder are not trusted. Used for the state
// directory, the installation and sockets. Reads and writes files.

import { createHash, randomUUID } from 'node:crypto'
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  rmSync,
  type Stats,
  writeFileSync,
} from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'

import { errorMessage, Failure } from '@scorpiox/mcp/errors'
import { hasErrorCode } from '@scorpiox/mcp/os'
import { makePrivateFolder, renameOver } from '@scorpiox/mcp/atomic-file'

const STATE_DIR_ADVICE = 'or set STATE_DIR to a folder of this user'

/** Creates the folder if needed. Throws a Failure that says what to do. */
export function ensurePrivateFolder(path: string): void {
  try {
    makePrivateFolder(path)
  } catch (error) {
    throw toWriteFailure(path, error)
  }
  const problem = describeFolderProblem(path)
  if (problem !== undefined) throw new Failure(problem)
}

export function isPrivateFolder(path: string): boolean {
  return describeFolderProblem(path) === undefined
}

/** Converts a write error to a Failure with advice; returns a Failure unchanged. */
export function toWriteFailure(path: string, error: unknown): Failure {
  if (error instanceof Failure) return error
  const reason = errorMessage(error)
  const advice = `free some space there or make it writable, ${STATE_DIR_ADVICE}`
  return new Failure(`${path} cannot be written to (${reason}); ${advice}`, { cause: error })
}

/** Describes why the folder is not private; undefined if it is. */
export function describeFolderProblem(path: string): string | undefined {
  const stat = lstatOrUndefined(path)
  if (!stat?.isDirectory()) return `${path} is not a folder; move it away, ${STATE_DIR_ADVICE}`
  // Windows has no such owners and modes.
  if (process.geteuid === undefined) return undefined
  if (stat.uid !== process.geteuid()) return `${path} belongs to another user; move it away, ${STATE_DIR_ADVICE}`
  if ((stat.mode & 0o022) !== 0)
    return `${path} can be changed by other users; run: chmod 700 ${path}, ${STATE_DIR_ADVICE}`
  return undefined
}

function lstatOrUndefined(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}

interface OwnFile {
  readonly text: string
  readonly changedAt: number
}

/** Never throws: a file that cannot be read, is not a regular file or is larger than allowed counts as missing. */
export async function readOwnFile(path: string, maxBytes: number): Promise<OwnFile | undefined> {
  const file = await openOwnFile(path).catch(() => undefined)
  try {
    const stat = await file?.stat()
    if (!file || !stat || stat.size > maxBytes) return undefined
    return { text: await file.readFile('utf8'), changedAt: stat.mtimeMs }
  } catch {
    return undefined
  } finally {
    await file?.close()
  }
}

/** The text of a small file as readOwnFile gives it, without waiting. */
export function readOwnFileNow(path: string, maxBytes: number): string | undefined {
  let file: number | undefined
  try {
    file = openSync(path, OPEN_FLAGS)
    const stat = fstatSync(file)
    return stat.isFile() && stat.size <= maxBytes ? readFileSync(file, 'utf8') : undefined
  } catch {
    return undefined
  } finally {
    if (file !== undefined) closeSync(file)
  }
}

/** Opens a file without following links or blocking on a FIFO. Undefined if there is no regular file. */
export async function openOwnFile(path: string): Promise<FileHandle | undefined> {
  const file = await openWithoutFollowing(path)
  if (!file || (await file.stat()).isFile()) return file
  await file.close()
  return undefined
}

// Windows has neither flag, and links require administrator rights there.
const OPEN_FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

async function openWithoutFollowing(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, OPEN_FLAGS)
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT', 'ELOOP', 'ENXIO', 'ENOTDIR')) return undefined
    throw error
  }
}

/** Replaces a file as a whole, but without syncing it: after a power failure it may have its old text, or none. */
export function replaceOwnFile(path: string, content: string | Uint8Array, mode = 0o600): void {
  const tempPath = `${path}.${randomUUID()}.tmp`
  try {
    writeFileSync(tempPath, content, { flag: 'wx', mode })
    renameOver(tempPath, path)
  } finally {
    rmSync(tempPath, { force: true })
  }
}

/** A timestamp that looks like 20260728-093000, so that files sorted by name are in order of time. */
export function timestampForFileName(date: Date): string {
  return date
    .toISOString()
    .replaceAll(/[-:]|\.\d+Z/g, '')
    .replace('T', '-')
}

/** A file name derived from any text, such as a path or a user name. */
export function hashForFileName(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}
