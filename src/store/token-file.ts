// Named authentication tokens, stored as SHA-256 hashes. A token is `sxc_` and 43 base64url characters, 256 random
// bits, so neither a slow hash nor a checksum is needed. Changes by other processes take effect within a second. If
// the file cannot be trusted, every token is rejected.

import { hash, randomBytes } from 'node:crypto'
import { dirname } from 'node:path'

import { Failure } from '../lib/failure.js'
import { reasonOf } from '../lib/reason-of.js'
import { makePrivateFolder, replaceFile } from './atomic-file.js'
import { withFileLock } from './file-lock.js'
import { printTokens, readTokens, signatureOf, type TokenRecord } from './token-records.js'

const TOKEN_PATTERN = /^sxc_[\w-]{43}$/
const NAME_PATTERN = /^[^\p{C}\p{Zl}\p{Zp}]{1,64}$/u
/** No colon: `oauth:…` is reserved for users of an issuer. */
const USER_PATTERN = /^[\w.@+-]{1,64}$/
const RECHECK_MS = 1000

export interface NewToken {
  readonly name: string
  readonly user: string
  /** An ISO 8601 time; without it the token is valid until revoked. */
  readonly expiresAt?: string
}

export interface TokenFile {
  /** Returns the token itself, which is not stored. */
  create(request: NewToken): { readonly token: string; readonly record: TokenRecord }
  list(): readonly TokenRecord[]
  /** Revokes the token of that id, or else every token of that name, and returns them. */
  revoke(idOrName: string): readonly TokenRecord[]
  /** Never throws; `problem` says why all tokens are rejected. */
  find(token: string): TokenRecord | undefined
  problem(): string | undefined
}

export function openTokenFile(path: string): TokenFile {
  const cache = createTokenCache(path)
  return {
    create(request) {
      validateRequest(request)
      const token = `sxc_${randomBytes(32).toString('base64url')}`
      const record: TokenRecord = {
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
    list: () => readTokens(path),
    revoke(idOrName) {
      let revoked: readonly TokenRecord[] = []
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

function validateRequest({ name, user, expiresAt }: NewToken): void {
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
  update: (records: readonly TokenRecord[]) => readonly TokenRecord[] | undefined,
): void {
  try {
    makePrivateFolder(dirname(path))
    const tryChange = (): boolean =>
      withFileLock(`${path}.lock`, (isStillHeld) => {
        const records = update(readTokens(path))
        return records === undefined || replaceFile(path, printTokens(records), isStillHeld)
      })
    while (!tryChange());
  } catch (error) {
    if (error instanceof Failure) throw error
    const reason = reasonOf(error)
    throw new Failure(`${path} cannot be changed (${reason}); no token was created or revoked`, { cause: error })
  }
}

interface TokenCache {
  find(token: string): TokenRecord | undefined
  problem(): string | undefined
  /** Reads the file now, whenever it was last checked. */
  refresh(): void
}

function createTokenCache(path: string): TokenCache {
  let byHash: ReadonlyMap<string, TokenRecord> = new Map()
  let signature: string | undefined
  let problem: string | undefined
  let checkedAt = Number.NEGATIVE_INFINITY

  function refresh(): void {
    // A monotonic clock: setting the wall clock back must not delay a revocation.
    checkedAt = performance.now()
    try {
      const current = signatureOf(path)
      if (current === signature) return
      byHash = new Map(readTokens(path).map((record) => [record.hash, record]))
      signature = current
      problem = undefined
    } catch (error) {
      byHash = new Map()
      signature = undefined
      problem = reasonOf(error)
    }
  }

  return {
    refresh,
    find(token) {
      if (performance.now() - checkedAt >= RECHECK_MS) refresh()
      if (byHash.size === 0 || !TOKEN_PATTERN.test(token)) return undefined
      const record = byHash.get(hash('sha256', token))
      return record?.expiresAt === undefined || Date.now() < Date.parse(record.expiresAt) ? record : undefined
    },
    problem() {
      if (performance.now() - checkedAt >= RECHECK_MS) refresh()
      return problem
    },
  }
}
