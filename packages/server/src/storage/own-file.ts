// Opens files in private folders without following links or blocking on FIFOs. What is not a regular file, or is
// larger than allowed, counts as missing.

import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'

import { hasErrorCode } from '@scorpiox/mcp/util/error-code'

export interface OwnFile {
  readonly text: string
  readonly changedAt: number
}

/** Never throws: a file that cannot be read counts as missing. */
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

/** Undefined if there is no regular file. */
export async function openOwnFile(path: string): Promise<FileHandle | undefined> {
  const file = await openWithoutFollowing(path)
  if (!file || (await file.stat()).isFile()) return file
  await file.close()
  return undefined
}

// Windows has neither flag, and links require administrator rights there.
async function openWithoutFollowing(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT', 'ELOOP', 'ENXIO', 'ENOTDIR')) return undefined
    throw error
  }
}
