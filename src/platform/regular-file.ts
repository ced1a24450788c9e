// Opens a file that any user may have created or replaced: only a regular file, without blocking, and with its real
// path. The file that was checked is the file that is opened: replacing the path during the call has no effect.

import { constants, type BigIntStats } from 'node:fs'
import { open, readlink, realpath, stat, type FileHandle } from 'node:fs/promises'

import { hasCode } from '../lib/error-code.js'
import { Failure } from '../lib/failure.js'
import { reasonOf } from '../lib/reason-of.js'

// Windows lacks some of them.
const FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0)

export interface RegularFile {
  readonly handle: FileHandle
  /** Without symbolic links. */
  readonly real: string
  readonly size: number
  readonly identity: Identity
}

/** Unique as long as a process has the file open. */
export interface Identity {
  readonly dev: bigint
  readonly ino: bigint
}

/** Throws a Failure whose message completes a sentence about the file, such as `is a folder`. */
export async function openRegular(path: string): Promise<RegularFile> {
  // A device may react to being opened, so the type is checked before.
  requireRegularFile(await describeErrors(stat(path, { bigint: true })))
  const handle = await describeErrors(open(path, FLAGS))
  try {
    const stats = await handle.stat({ bigint: true })
    requireRegularFile(stats)
    const realPath = await describeErrors(resolveRealPath(handle, path))
    const target = await describeErrors(stat(realPath, { bigint: true }))
    if (!isSame(target, stats)) throw new Failure('was replaced while it was opened; try again')
    return { handle, real: realPath, size: Number(stats.size), identity: { dev: stats.dev, ino: stats.ino } }
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

export function isSame(one: Identity, other: Identity): boolean {
  return one.dev === other.dev && one.ino === other.ino
}

/** Describes an error of opening a file, to complete a sentence about the file. */
export function whyNotOpened(error: unknown): string {
  if (hasCode(error, 'ENOENT', 'ENOTDIR')) return 'is not there'
  if (hasCode(error, 'ELOOP')) return 'is a link that leads in a circle'
  if (hasCode(error, 'EISDIR', 'ENXIO', 'ENODEV')) return 'is not a file'
  if (hasCode(error, 'EACCES', 'EPERM')) return 'may not be read by this user'
  if (hasCode(error, 'ENAMETOOLONG')) return 'has a name longer than any file has'
  return `cannot be read (${reasonOf(error)})`
}

async function describeErrors<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw new Failure(whyNotOpened(error))
  }
}

function requireRegularFile(stats: BigIntStats): void {
  if (stats.isDirectory()) throw new Failure('is a folder, not a file')
  if (stats.isFIFO()) throw new Failure('is a pipe, not a file')
  if (stats.isSocket()) throw new Failure('is a socket, not a file')
  if (!stats.isFile()) throw new Failure('is a device, not a file')
}
