// Opens files in folders that are ours, with suspicion all the same: a link is not followed, a pipe does not hold us up,
// and what is no regular file, or larger than it can be, is not there.

import { constants } from 'node:fs'
import { open, type FileHandle } from 'node:fs/promises'

import { hasCode } from '../lib/error-code.js'

export interface SmallFile {
  readonly text: string
  readonly changedAt: number
}

/** Never throws: what cannot be read is not there. */
export async function readSmallFile(path: string, maxBytes: number): Promise<SmallFile | undefined> {
  const file = await openRegularFile(path).catch(() => undefined)
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

/** Undefined where there is no regular file. */
export async function openRegularFile(path: string): Promise<FileHandle | undefined> {
  const file = await openUnfollowed(path)
  if (!file || (await file.stat()).isFile()) return file
  await file.close()
  return undefined
}

// Windows has neither flag and links are for administrators there.
async function openUnfollowed(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ELOOP', 'ENXIO', 'ENOTDIR')) return undefined
    throw error
  }
}
