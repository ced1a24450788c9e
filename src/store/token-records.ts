// Reads and validates the token file: anyone who can write it can grant access. Content that this program would not
// write is a Failure.

import { readFileSync, statSync, type Stats } from 'node:fs'

import { Failure } from '../lib/failure.js'
import { isObject } from '../lib/json.js'
import { reasonOf } from '../lib/reason-of.js'

const MAX_FILE_BYTES = 16 * 1024 * 1024

export interface TokenRecord {
  readonly id: string
  readonly name: string
  readonly user: string
  /** SHA-256 of the token, in hexadecimal. */
  readonly hash: string
  readonly createdAt: string
  readonly expiresAt?: string
}

/** A missing file contains no tokens. */
export function readTokens(path: string): readonly TokenRecord[] {
  const stat = statTokenFile(path)
  if (!stat) return []
  const records = parseTokenFile(path, stat)
  if (records) return records
  throw new Failure(
    `${path} is damaged; restore it from a backup, or delete it, which revokes every token, and create new ones`,
  )
}

export function printTokens(tokens: readonly TokenRecord[]): string {
  return `${JSON.stringify({ version: 1, tokens }, null, 2)}\n`
}

/** Changes whenever the file changes. */
export function signatureOf(path: string): string {
  const stat = statTokenFile(path)
  return stat ? `${stat.ino}:${stat.size}:${stat.mtimeMs}:${stat.ctimeMs}` : 'absent'
}

function statTokenFile(path: string): Stats | undefined {
  try {
    const stat = statSync(path, { throwIfNoEntry: false })
    if (stat && !stat.isFile()) throw new Failure(`${path} is not a regular file; move it away`)
    if (stat && process.platform !== 'win32' && (stat.mode & 0o022) !== 0) {
      throw new Failure(`${path} can be changed by other users of this machine; run: chmod 600 ${path}`)
    }
    return stat
  } catch (error) {
    throw toReadFailure(path, error)
  }
}

function parseTokenFile(path: string, { size }: Stats): readonly TokenRecord[] | undefined {
  if (size > MAX_FILE_BYTES) return undefined
  try {
    const parsed: unknown = JSON.parse(readFileSync(path, 'utf8'))
    if (!isObject(parsed) || parsed.version !== 1 || !Array.isArray(parsed.tokens)) return undefined
    const tokens: readonly unknown[] = parsed.tokens
    const records = tokens.filter(isTokenRecord)
    return records.length === tokens.length ? records : undefined
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw toReadFailure(path, error)
  }
}

function isTokenRecord(value: unknown): value is TokenRecord {
  if (!isObject(value)) return false
  const { id, name, user, hash, createdAt, expiresAt } = value
  return (
    [id, name, user].every((text) => typeof text === 'string' && text !== '') &&
    typeof hash === 'string' &&
    /^[\da-f]{64}$/.test(hash) &&
    isTime(createdAt) &&
    (expiresAt === undefined || isTime(expiresAt))
  )
}

// An invalid expiry would mean that the token never expires.
function isTime(value: unknown): boolean {
  return typeof value === 'string' && Number.isFinite(Date.parse(value))
}

function toReadFailure(path: string, error: unknown): Failure {
  if (error instanceof Failure) return error
  const reason = reasonOf(error)
  return new Failure(`${path} cannot be read (${reason}); make it readable for the user who runs the server`, {
    cause: error,
  })
}
