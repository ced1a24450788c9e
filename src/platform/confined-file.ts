// Reads an untrusted file: a regular file of limited size and, if a folder is given, inside that folder after all links
// are resolved. A FIFO does not block, and replacing the path during the call has no effect.

import { constants } from 'node:fs'
import { open, realpath, stat, type FileHandle } from 'node:fs/promises'

import { Failure } from '../lib/failure.js'
import { isWithin } from '../lib/is-within.js'
import { readBounded } from './read-bounded.js'
import { whyNotOpened } from './regular-file.js'

interface Bounds {
  readonly maxBytes: number
  /** The folder that must contain the file. */
  readonly inside?: string | undefined
}

/** Throws a Failure whose message completes a sentence about the file, such as `leads out of …`. */
export async function readConfined(path: string, { maxBytes, inside }: Bounds): Promise<Buffer> {
  const file = await openWithoutBlocking(path)
  try {
    const stats = await file.stat({ bigint: true })
    if (!stats.isFile()) throw new Failure('is not a file')
    if (stats.size > maxBytes) throw new Failure(`is longer than ${Math.round(maxBytes / 1024)} KB`)
    if (inside !== undefined) {
      const realPath = await realpath(path).catch(() => '')
      const target = await stat(realPath, { bigint: true }).catch(() => undefined)
      const isSame = target?.ino === stats.ino && target.dev === stats.dev
      if (!isSame || !isWithin(realPath, inside)) throw new Failure('leads out of its folder through a link')
    }
    return await readBounded(file, maxBytes)
  } finally {
    await file.close()
  }
}

async function openWithoutBlocking(path: string): Promise<FileHandle> {
  try {
    return await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  } catch (error) {
    throw new Failure(whyNotOpened(error))
  }
}
