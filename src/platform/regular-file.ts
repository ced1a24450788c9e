// Opens a file that anybody may have put there, or put something else in its place: only a regular one, without waiting
// for it, and with the name it really has. What is opened is what was looked at: a path changed meanwhile gains nothing.

import { constants, type BigIntStats } from 'node:fs'
import { open, readlink, realpath, stat, type FileHandle } from 'node:fs/promises'

import { hasCode } from '../lib/error-code.js'
import { Failure } from '../lib/failure.js'
import { reasonOf } from '../lib/reason-of.js'

// Windows has not all of them.
const FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0)

export interface RegularFile {
  readonly handle: FileHandle
  /** Without links. */
  readonly real: string
  readonly size: number
  readonly identity: Identity
}

/** Stays its own as long as somebody has it open. */
export interface Identity {
  readonly dev: bigint
  readonly ino: bigint
}

/** Throws a Failure whose message says of the file why it is not opened, as in `is a folder`. */
export async function openRegular(path: string): Promise<RegularFile> {
  // A device may act on being opened, so nothing is that has not been looked at.
  mustBeFile(await attempt(stat(path, { bigint: true })))
  const handle = await attempt(open(path, FLAGS))
  try {
    const found = await handle.stat({ bigint: true })
    mustBeFile(found)
    const real = await attempt(realNameOf(handle, path))
    const there = await attempt(stat(real, { bigint: true }))
    if (!isSame(there, found)) throw new Failure('was replaced while it was opened; try again')
    return { handle, real, size: Number(found.size), identity: { dev: found.dev, ino: found.ino } }
  } catch (error) {
    await handle.close()
    throw error
  }
}

/** Of what is open, where the system tells; a folder on the path may be a link by the time that the path is followed again. */
async function realNameOf({ fd }: FileHandle, path: string): Promise<string> {
  if (process.platform !== 'linux') return realpath(path)
  return readlink(`/proc/self/fd/${fd}`).catch(() => realpath(path))
}

export function isSame(one: Identity, other: Identity): boolean {
  return one.dev === other.dev && one.ino === other.ino
}

/** What the system's refusal to open a file says of it. */
export function whyNotOpened(error: unknown): string {
  if (hasCode(error, 'ENOENT', 'ENOTDIR')) return 'is not there'
  if (hasCode(error, 'ELOOP')) return 'is a link that leads in a circle'
  if (hasCode(error, 'EISDIR', 'ENXIO', 'ENODEV')) return 'is not a file'
  if (hasCode(error, 'EACCES', 'EPERM')) return 'may not be read by this user'
  if (hasCode(error, 'ENAMETOOLONG')) return 'has a name longer than any file has'
  return `cannot be read (${reasonOf(error)})`
}

async function attempt<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw new Failure(whyNotOpened(error))
  }
}

function mustBeFile(found: BigIntStats): void {
  if (found.isDirectory()) throw new Failure('is a folder, not a file')
  if (found.isFIFO()) throw new Failure('is a pipe, not a file')
  if (found.isSocket()) throw new Failure('is a socket, not a file')
  if (!found.isFile()) throw new Failure('is a device, not a file')
}
