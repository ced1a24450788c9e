// The token records as they lie in their file, read with suspicion: who can write there can let anybody in. What is
// not exactly what this program writes is a Failure, never a guess.

import { readFileSync, statSync, type Stats } from 'node:fs'

import { Failure } from '../lib/failure.js'
import { isObject } from '../lib/json.js'
import { reasonOf } from '../lib/reason-of.js'

const MAX_BYTES = 16 * 1024 * 1024

export interface TokenRecord {
  readonly id: string
  readonly name: string
  readonly user: string
  /** SHA-256 of the token, in hexadecimal. */
  readonly hash: string
  readonly createdAt: string
  readonly expiresAt?: string
}

/** A file that is not there holds no tokens. */
export function readTokens(path: string): readonly TokenRecord[] {
  const stat = look(path)
  if (!stat) return []
  const records = parse(path, stat)
  if (records) return records
  throw new Failure(
    `${path} is damaged; restore it from a backup, or delete it, which revokes every token, and create new ones`,
  )
}

export function printTokens(tokens: readonly TokenRecord[]): string {
  return `${JSON.stringify({ version: 1, tokens }, null, 2)}\n`
}

/** Changes whenever the file does. */
export function signatureOf(path: string): string {
  const stat = look(path)
  return stat ? `${stat.ino}:${stat.size}:${stat.mtimeMs}:${stat.ctimeMs}` : 'absent'
}

function look(path: string): Stats | undefined {
  try {
    const stat = statSync(path, { throwIfNoEntry: false })
    if (stat && !stat.isFile()) throw new Failure(`${path} is not a regular file; move it away`)
    if (stat && process.platform !== 'win32' && (stat.mode & 0o022) !== 0) {
      throw new Failure(`${path} can be changed by other users of this machine; run: chmod 600 ${path}`)
    }
    return stat
  } catch (error) {
    throw unreadable(path, error)
  }
}

function parse(path: string, { size }: Stats): readonly TokenRecord[] | undefined {
  if (size > MAX_BYTES) return undefined
  try {
    const document: unknown = JSON.parse(readFileSync(path, 'utf8'))
    if (!isObject(document) || document.version !== 1 || !Array.isArray(document.tokens)) return undefined
    const tokens: readonly unknown[] = document.tokens
    const records = tokens.filter(isRecord)
    return records.length === tokens.length ? records : undefined
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw unreadable(path, error)
  }
}

function isRecord(value: unknown): value is TokenRecord {
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

// An end that cannot be read would be no end.
function isTime(value: unknown): boolean {
  return typeof value === 'string' && Number.isFinite(Date.parse(value))
}

function unreadable(path: string, error: unknown): Failure {
  if (error instanceof Failure) return error
  const reason = reasonOf(error)
  return new Failure(`${path} cannot be read (${reason}); make it readable for the user who runs the server`, {
    cause: error,
  })
}
