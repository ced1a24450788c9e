// Reads a file that others may have put there: a regular one, of a bounded size, and where a folder is named, inside it
// with all links followed. Pipes do not hold us up, and a path that is changed meanwhile gains nothing.

import { constants } from 'node:fs'
import { open, realpath, stat, type FileHandle } from 'node:fs/promises'

import { Failure } from '../lib/failure.js'
import { isWithin } from '../lib/is-within.js'
import { readBounded } from './read-bounded.js'
import { whyNotOpened } from './regular-file.js'

export interface Bounds {
  readonly maxBytes: number
  /** The folder that it must lie in. */
  readonly inside?: string | undefined
}

/** Throws a Failure whose message says of the file why it is not read, as in `leads out of …`. */
export async function readConfined(path: string, { maxBytes, inside }: Bounds): Promise<Buffer> {
  const file = await openSafely(path)
  try {
    const found = await file.stat({ bigint: true })
    if (!found.isFile()) throw new Failure('is not a file')
    if (found.size > maxBytes) throw new Failure(`is longer than ${Math.round(maxBytes / 1024)} KB`)
    if (inside !== undefined) {
      const real = await realpath(path).catch(() => '')
      const there = await stat(real, { bigint: true }).catch(() => undefined)
      const isSame = there?.ino === found.ino && there.dev === found.dev
      if (!isSame || !isWithin(real, inside)) throw new Failure('leads out of its folder through a link')
    }
    return await readBounded(file, maxBytes)
  } finally {
    await file.close()
  }
}

async function openSafely(path: string): Promise<FileHandle> {
  try {
    return await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  } catch (error) {
    throw new Failure(whyNotOpened(error))
  }
}
