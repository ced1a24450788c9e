// Reads and changes the file of named authentication tokens, stored as SHA-256 hashes; used by `token`, `serve --http`
// and `ui`. Changes by other processes take effect within a second. Content that this program would not write is a
// Failure, and every token is rejected: write access to the file is the right to grant access.

import { dirname } from 'node:path'

import { errorMessage, Failure } from '@scorpiox/mcp/errors'
import { makePrivateFolder, replaceFile } from '@scorpiox/mcp/atomic-file'
import { withFileLock } from '@scorpiox/server/storage/file-lock'
import { readTokenRecords } from './read-token-file.js'
import { createTokenCache, type TokenLookupResult } from './token-cache.js'
import {
  type AuthTokenRecord,
  type AuthTokenStore,
  type CreatedToken,
  createToken,
  type CreateTokenRequest,
} from './token-record.js'
import { formatTokenRecords } from './token-records.js'

export interface AuthTokenFile extends AuthTokenStore {
  create(request: CreateTokenRequest): CreatedToken
  list(): readonly AuthTokenRecord[]
  revoke(idOrName: string): readonly AuthTokenRecord[]
  /** Never throws or rejects; `problem` says why all tokens are rejected. A promise while a large file is read. */
  find(token: string): TokenLookupResult | Promise<TokenLookupResult>
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
