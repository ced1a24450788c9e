// Reads and changes the file of named authentication tokens, stored as SHA-256 hashes; used by `token`, `serve --http`
// and `ui`. Changes by other processes take effect within a second. Content that this program would not write is a
// Failure, and every token is rejected: write access to the file is the right to grant access.

import { readFileSync, type Stats, statSync } from 'node:fs'
import { dirname } from 'node:path'

import { errorMessage, Failure } from '@scorpiox/mcp/errors'
import { isJsonObject } from '@scorpiox/mcp/json/json'
import { makePrivateFolder, replaceFile } from '@scorpiox/mcp/util/atomic-file'
import { withFileLock } from '@scorpiox/server/storage/file-lock'
import {
  type AuthTokenRecord,
  type AuthTokenStore,
  type CreatedToken,
  createToken,
  type CreateTokenRequest,
  hashToken,
} from './token-record.js'

const MAX_FILE_BYTES = 16 * 1024 * 1024

/** A missing file contains no tokens. */
function readTokenRecords(path: string): readonly AuthTokenRecord[] {
  const stat = statTokenFile(path)
  if (!stat) return []
  const records = parseTokenFile(path, stat)
  if (records) return records
  throw new Failure(
    `${path} is damaged; restore it from a backup, or delete it, which revokes every token, and create new ones`,
  )
}

function formatTokenRecords(tokens: readonly AuthTokenRecord[]): string {
  return `${JSON.stringify({ version: 1, tokens }, null, 2)}\n`
}

/** Changes whenever the file changes. */
function readFileSignature(path: string): string {
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

function parseTokenFile(path: string, { size }: Stats): readonly AuthTokenRecord[] | undefined {
  if (size > MAX_FILE_BYTES) return undefined
  try {
    const parsed: unknown = JSON.parse(readFileSync(path, 'utf8'))
    if (!isJsonObject(parsed) || parsed.version !== 1 || !Array.isArray(parsed.tokens)) return undefined
    const tokens: readonly unknown[] = parsed.tokens
    const records = tokens.filter(isTokenRecord)
    return records.length === tokens.length ? records : undefined
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw toReadFailure(path, error)
  }
}

function isTokenRecord(value: unknown): value is AuthTokenRecord {
  if (!isJsonObject(value)) return false
  const { id, name, user, hash: digest, createdAt, expiresAt } = value
  return (
    [id, name, user].every((text) => typeof text === 'string' && text !== '') &&
    typeof digest === 'string' &&
    /^[\da-f]{64}$/.test(digest) &&
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
  const reason = errorMessage(error)
  return new Failure(`${path} cannot be read (${reason}); make it readable for the user who runs the server`, {
    cause: error,
  })
}

const RECHECK_MS = 1000
const RECHECK_UNKNOWN_MS = 50

export interface AuthTokenFile extends AuthTokenStore {
  create(request: CreateTokenRequest): CreatedToken
  list(): readonly AuthTokenRecord[]
  revoke(idOrName: string): readonly AuthTokenRecord[]
  /** Never throws; `problem` says why all tokens are rejected. */
  find(token: string): AuthTokenRecord | undefined
  problem(): string | undefined
}

export function openTokenFile(path: string): AuthTokenFile {
  const cache = createTokenCache(path)
  return {
    create(request) {
      const { token, record } = createToken(request)
      changeRecords(path, (records) => [...records, record])
      cache.refresh()
      return { token, record }
    },
    list: () => readTokenRecords(path),
    revoke(idOrName) {
      let revoked: readonly AuthTokenRecord[] = []
      changeRecords(path, (records) => {
        const byId = records.filter(({ id }) => id === idOrName)
        revoked = byId.length > 0 ? byId : records.filter(({ name }) => name === idOrName)
        return revoked.length === 0 ? undefined : records.filter((record) => !revoked.includes(record))
      })
      cache.refresh()
      return revoked
    },
    find: (token) => cache.find(token),
    problem: () => cache.problem(),
  }
}

/** Changes the file under a lock; `undefined` leaves it unchanged. */
function changeRecords(
  path: string,
  update: (records: readonly AuthTokenRecord[]) => readonly AuthTokenRecord[] | undefined,
): void {
  try {
    makePrivateFolder(dirname(path))
    const tryChange = (): boolean =>
      withFileLock(`${path}.lock`, (isStillHeld) => {
        const records = update(readTokenRecords(path))
        return records === undefined || replaceFile(path, formatTokenRecords(records), isStillHeld)
      })
    while (!tryChange());
  } catch (error) {
    if (error instanceof Failure) throw error
    const reason = errorMessage(error)
    throw new Failure(`${path} cannot be changed (${reason}); no token was created or revoked`, { cause: error })
  }
}

interface TokenCache {
  find(token: string): AuthTokenRecord | undefined
  problem(): string | undefined
  /** Reads the file now, whenever it was last checked. */
  refresh(): void
}

function createTokenCache(path: string): TokenCache {
  let byHash: ReadonlyMap<string, AuthTokenRecord> = new Map()
  let signature: string | undefined
  let problem: string | undefined
  let checkedAt = Number.NEGATIVE_INFINITY

  function refresh(): void {
    // A monotonic clock: setting the wall clock back must not delay a revocation.
    checkedAt = performance.now()
    try {
      const current = readFileSignature(path)
      if (current === signature) return
      byHash = new Map(readTokenRecords(path).map((record) => [record.hash, record]))
      signature = current
      problem = undefined
    } catch (error) {
      byHash = new Map()
      signature = undefined
      problem = errorMessage(error)
    }
  }

  return {
    refresh,
    find(token) {
      const sinceCheck = performance.now() - checkedAt
      if (sinceCheck >= RECHECK_MS) refresh()
      const digest = hashToken(token)
      if (digest === undefined) return undefined
      // An unknown token may have been created since the last check.
      if (!byHash.has(digest) && sinceCheck >= RECHECK_UNKNOWN_MS && sinceCheck < RECHECK_MS) refresh()
      const record = byHash.get(digest)
      return record?.expiresAt === undefined || Date.now() < Date.parse(record.expiresAt) ? record : undefined
    },
    problem() {
      if (performance.now() - checkedAt >= RECHECK_MS) refresh()
      return problem
    },
  }
}
