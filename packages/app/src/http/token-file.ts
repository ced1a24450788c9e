// Reads and changes the file of named authentication tokens, stored as SHA-256 hashes; used by `token`, `serve --http`
// and `ui`. Changes by other processes take effect within a second. Content that this program would not write is a
// Failure, and every token is rejected: write access to the file is the right to grant access.

import { hash, randomBytes } from 'node:crypto'
import { readFileSync, type Stats, statSync } from 'node:fs'
import { dirname } from 'node:path'

import { errorMessage, Failure } from '@scorpiox/mcp/errors'
import { isJsonObject } from '@scorpiox/mcp/json/json'
import { makePrivateFolder, replaceFile } from '@scorpiox/mcp/util/atomic-file'
import { withFileLock } from '@scorpiox/server/storage/file-lock'

const MAX_FILE_BYTES = 16 * 1024 * 1024

export interface AuthTokenRecord {
  readonly id: string
  readonly name: string
  readonly user: string
  /** SHA-256 of the token, in hexadecimal. */
  readonly hash: string
  readonly createdAt: string
  readonly expiresAt?: string
}

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

const TOKEN_PATTERN = /^sxc_[\w-]{43}$/
const NAME_PATTERN = /^[^\p{C}\p{Zl}\p{Zp}]{1,64}$/u
/** No colon: `oauth:…` is reserved for users of an issuer. */
const USER_PATTERN = /^[\w.@+-]{1,64}$/
const RECHECK_MS = 1000
const RECHECK_UNKNOWN_MS = 50

export interface CreateTokenRequest {
  readonly name: string
  readonly user: string
  /** An ISO 8601 time; without it the token is valid until revoked. */
  readonly expiresAt?: string
}

export interface AuthTokenFile {
  /** Returns the token itself, which is not stored. */
  create(request: CreateTokenRequest): { readonly token: string; readonly record: AuthTokenRecord }
  list(): readonly AuthTokenRecord[]
  /** Revokes the token of that id, or else every token of that name, and returns them. */
  revoke(idOrName: string): readonly AuthTokenRecord[]
  /** Never throws; `problem` says why all tokens are rejected. */
  find(token: string): AuthTokenRecord | undefined
  problem(): string | undefined
}

/** A token is `sxc_` and 43 base64url characters, 256 random bits, so neither a slow hash nor a checksum is needed. */
export function openTokenFile(path: string): AuthTokenFile {
  const cache = createTokenCache(path)
  return {
    create(request) {
      validateRequest(request)
      const token = `sxc_${randomBytes(32).toString('base64url')}`
      const record: AuthTokenRecord = {
        id: randomBytes(5).toString('hex'),
        name: request.name,
        user: request.user,
        hash: hash('sha256', token),
        createdAt: new Date().toISOString(),
        ...(request.expiresAt !== undefined && { expiresAt: request.expiresAt }),
      }
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

function validateRequest({ name, user, expiresAt }: CreateTokenRequest): void {
  if (!NAME_PATTERN.test(name) || name.trim() !== name) {
    throw new Failure('A token name has 1 to 64 printable characters; choose another name')
  }
  if (!USER_PATTERN.test(user))
    throw new Failure('A user has 1 to 64 letters, digits and . _ @ + -; choose another user')
  if (expiresAt !== undefined && !isIsoTime(expiresAt)) {
    throw new Failure(`The expiry of a token must be a time such as 2030-01-31T12:00:00.000Z, got ${expiresAt}`)
  }
}

function isIsoTime(text: string): boolean {
  const time = Date.parse(text)
  return Number.isFinite(time) && new Date(time).toISOString() === text
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
      if (!TOKEN_PATTERN.test(token)) return undefined
      const digest = hash('sha256', token)
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
