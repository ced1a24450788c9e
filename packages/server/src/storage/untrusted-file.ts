// Reads files that any user may have created or replaced: only regular files of limited size and, if a folder is given,
// inside that folder after all links are resolved. Used for images, plan files and skills. Does not block on a FIFO.
// Reads only.

import {
  type BigIntStats,
  closeSync,
  constants,
  fstatSync,
  openSync,
  readlinkSync,
  readSync,
  realpathSync,
  statSync,
} from 'node:fs'
import { type FileHandle, open, readlink, realpath, stat } from 'node:fs/promises'

import { errorMessage, Failure } from '@scorpiox/mcp/errors'
import { hasErrorCode } from '@scorpiox/mcp/os'
import { isInsideDirectory } from '../files/path-containment.js'

const CHUNK = 65_536

/**
 * Reads an open file up to a limit. Does not rely on the file size: it may grow, and files in /proc report 0. To find
 * out whether there is more, request one byte more than is needed.
 */
export async function readBounded(file: FileHandle, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let left = maxBytes
  while (left > 0) {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(Math.min(CHUNK, left)), 0, null, null)
    if (bytesRead === 0) break
    chunks.push(buffer.subarray(0, bytesRead))
    left -= bytesRead
  }
  return Buffer.concat(chunks)
}

// Windows lacks some of them.
const FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0)

export interface OpenedFile {
  readonly handle: FileHandle
  /** Without symbolic links. */
  readonly realPath: string
  readonly size: number
  readonly identity: FileIdentity
}

/** Unique as long as a process has the file open. */
export interface FileIdentity {
  readonly dev: bigint
  readonly ino: bigint
}

/**
 * Opens a regular file without blocking, and returns its real path. The file that was checked is the file that is
 * opened: replacing the path during the call has no effect. Throws a Failure whose message completes a sentence about
 * the file, such as `is a folder`.
 */
export async function openUntrustedFile(path: string): Promise<OpenedFile> {
  // A device may react to being opened, so the type is checked before.
  requireRegularFile(await describeErrors(stat(path, { bigint: true })))
  const handle = await describeErrors(open(path, FLAGS))
  try {
    const stats = await handle.stat({ bigint: true })
    requireRegularFile(stats)
    const realPath = await describeErrors(resolveRealPath(handle, path))
    const target = await describeErrors(stat(realPath, { bigint: true }))
    if (!isSameFile(target, stats)) throw new Failure('was replaced while it was opened; try again')
    return { handle, realPath, size: Number(stats.size), identity: { dev: stats.dev, ino: stats.ino } }
  } catch (error) {
    await handle.close()
    throw error
  }
}

/**
 * The path of the open file if the system provides it: a folder on the path may be a link by the time the path is
 * resolved again.
 */
async function resolveRealPath({ fd }: FileHandle, path: string): Promise<string> {
  if (process.platform !== 'linux') return realpath(path)
  return readlink(`/proc/self/fd/${fd}`).catch(() => realpath(path))
}

export function isSameFile(one: FileIdentity, other: FileIdentity): boolean {
  return one.dev === other.dev && one.ino === other.ino
}

/** Describes an error of opening a file, to complete a sentence about the file. */
export function describeOpenError(error: unknown): string {
  if (hasErrorCode(error, 'ENOENT', 'ENOTDIR')) return 'is not there'
  if (hasErrorCode(error, 'ELOOP')) return 'is a link that leads in a circle'
  if (hasErrorCode(error, 'EISDIR', 'ENXIO', 'ENODEV')) return 'is not a file'
  if (hasErrorCode(error, 'EACCES', 'EPERM')) return 'may not be read by this user'
  if (hasErrorCode(error, 'ENAMETOOLONG')) return 'has a name longer than any file has'
  return `cannot be read (${errorMessage(error)})`
}

async function describeErrors<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw new Failure(describeOpenError(error))
  }
}

function requireRegularFile(stats: BigIntStats): void {
  if (stats.isDirectory()) throw new Failure('is a folder, not a file')
  if (stats.isFIFO()) throw new Failure('is a pipe, not a file')
  if (stats.isSocket()) throw new Failure('is a socket, not a file')
  if (!stats.isFile()) throw new Failure('is a device, not a file')
}

interface ReadLimits {
  readonly maxBytes: number
  /** The folder that must contain the file. */
  readonly inside?: string | undefined
}

/**
 * Reads a regular file of limited size. Replacing the path during the call has no effect. Throws a Failure whose
 * message completes a sentence about the file, such as `leads out of …`.
 */
export async function readUntrustedFile(path: string, { maxBytes, inside }: ReadLimits): Promise<Buffer> {
  const file = await openWithoutBlocking(path)
  try {
    const stats = await file.stat({ bigint: true })
    requireReadable(stats, maxBytes)
    if (inside !== undefined) {
      const realPath = await realpath(path).catch(() => '')
      requireInside(stats, { realPath, target: await stat(realPath, { bigint: true }).catch(() => undefined) }, inside)
    }
    return await readBounded(file, maxBytes)
  } finally {
    await file.close()
  }
}

/** The same, for small files of which many are read. */
export function readUntrustedFileSync(path: string, { maxBytes, inside }: ReadLimits): Buffer {
  const file = openWithoutBlockingSync(path)
  try {
    const stats = fstatSync(file, { bigint: true })
    requireReadable(stats, maxBytes)
    if (inside !== undefined) requireInside(stats, resolveSync(file, path, stats), inside)
    return readBoundedSync(file, Number(stats.size), maxBytes)
  } finally {
    closeSync(file)
  }
}

function requireReadable(stats: BigIntStats, maxBytes: number): void {
  if (!stats.isFile()) throw new Failure('is not a file')
  if (stats.size > maxBytes) throw new Failure(`is longer than ${Math.round(maxBytes / 1024)} KB`)
}

interface ResolvedPath {
  readonly realPath: string
  readonly target: FileIdentity | undefined
}

function requireInside(opened: FileIdentity, { realPath, target }: ResolvedPath, folder: string): void {
  const isSame = target !== undefined && isSameFile(target, opened)
  if (!isSame || !isInsideDirectory(realPath, folder)) throw new Failure('leads out of its folder through a link')
}

function resolveSync(file: number, path: string, opened: FileIdentity): ResolvedPath {
  try {
    // The path of the open file itself, without a search along the path.
    if (process.platform === 'linux') return { realPath: readlinkSync(`/proc/self/fd/${file}`), target: opened }
  } catch {
    // Without /proc.
  }
  try {
    const realPath = realpathSync.native(path)
    return { realPath, target: statSync(realPath, { bigint: true, throwIfNoEntry: false }) }
  } catch {
    return { realPath: '', target: undefined }
  }
}

/** The size is only expected: the file may have grown or shrunk. */
function readBoundedSync(file: number, expectedSize: number, maxBytes: number): Buffer {
  const chunks: Buffer[] = []
  let left = maxBytes
  // One byte more, so that the end of most files is seen by the first reading.
  let size = Math.min(expectedSize + 1, maxBytes)
  while (left > 0) {
    const buffer = Buffer.allocUnsafe(size)
    const bytesRead = readSync(file, buffer, 0, size, null)
    chunks.push(buffer.subarray(0, bytesRead))
    left -= bytesRead
    if (bytesRead < size) break
    size = Math.min(CHUNK, left)
  }
  return chunks.length === 1 ? (chunks[0] ?? Buffer.alloc(0)) : Buffer.concat(chunks)
}

function openWithoutBlockingSync(path: string): number {
  try {
    return openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  } catch (error) {
    throw new Failure(describeOpenError(error))
  }
}

async function openWithoutBlocking(path: string): Promise<FileHandle> {
  try {
    return await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  } catch (error) {
    throw new Failure(describeOpenError(error))
  }
}
