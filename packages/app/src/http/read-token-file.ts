// Reads the token file whole, and checks who may write it. Used by token-file.ts to change it and by token-cache.ts.
// Reads files, synchronously.

import { readFileSync, type Stats, statSync } from 'node:fs'

import { errorMessage, Failure } from '@scorpiox/mcp/errors'
import type { AuthTokenRecord } from './token-record.js'
import { parseTokenRecords } from './token-records.js'

/** More than 200,000 tokens. */
const MAX_FILE_BYTES = 64 * 1024 * 1024

/** A missing file contains no tokens. */
export function readTokenRecords(path: string): readonly AuthTokenRecord[] {
  if (!statTokenFile(path)) return []
  const records = parseTokenRecords(readText(path))
  if (records) return records
  throw damagedFile(path)
}

export function damagedFile(path: string): Failure {
  return new Failure(
    `${path} is damaged; restore it from a backup, or delete it, which revokes every token, and create new ones`,
  )
}

/** Changes whenever the file changes. */
export function signatureOf(stat: Stats | undefined): string {
  return stat ? `${stat.ino}:${stat.size}:${stat.mtimeMs}:${stat.ctimeMs}` : 'absent'
}

/** Undefined if it is missing. Throws a Failure if it cannot be trusted. */
export function statTokenFile(path: string): Stats | undefined {
  try {
    const stat = statSync(path, { throwIfNoEntry: false })
    if (stat && !stat.isFile()) throw new Failure(`${path} is not a regular file; move it away`)
    if (stat && process.platform !== 'win32' && (stat.mode & 0o022) !== 0) {
      throw new Failure(`${path} can be changed by other users of this machine; run: chmod 600 ${path}`)
    }
    if (stat && stat.size > MAX_FILE_BYTES) throw damagedFile(path)
    return stat
  } catch (error) {
    throw toReadFailure(path, error)
  }
}

export function toReadFailure(path: string, error: unknown): Failure {
  if (error instanceof Failure) return error
  const reason = errorMessage(error)
  return new Failure(`${path} cannot be read (${reason}); make it readable for the user of the server`, {
    cause: error,
  })
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw toReadFailure(path, error)
  }
}
