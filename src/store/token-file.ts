// Named tokens, of which the file keeps only SHA-256 hashes: who reads it learns no token. A token is `sxc_` and 43
// base64url characters, 256 random bits; that needs no slow hash and no checksum, a mistyped one is simply unknown.
// Changes by other processes are seen within a second. A file that cannot be trusted lets nobody in.

import { hash, randomBytes } from 'node:crypto'
import { dirname } from 'node:path'

import { Failure } from '../lib/failure.js'
import { reasonOf } from '../lib/reason-of.js'
import { makePrivateFolder, replaceFile } from './atomic-file.js'
import { withFileLock } from './file-lock.js'
import { printTokens, readTokens, signatureOf, type TokenRecord } from './token-records.js'

const TOKEN = /^sxc_[\w-]{43}$/
const NAME = /^[^\p{C}\p{Zl}\p{Zp}]{1,64}$/u
/** Without a colon: `oauth:…` are the users of an issuer. */
const USER = /^[\w.@+-]{1,64}$/
const LOOK_MS = 1000

export interface NewToken {
  readonly name: string
  readonly user: string
  /** A moment as Date prints it in ISO form; without one, the token lives until it is revoked. */
  readonly expiresAt?: string
}

export interface TokenFile {
  /** The only time the token itself is seen. */
  create(input: NewToken): { readonly token: string; readonly record: TokenRecord }
  list(): readonly TokenRecord[]
  /** Gives back what was revoked: the token of that id or else every token of that name. */
  revoke(idOrName: string): readonly TokenRecord[]
  /** Never throws; `problem` says why nobody is let in. */
  find(token: string): TokenRecord | undefined
  problem(): string | undefined
}

export function openTokenFile(path: string): TokenFile {
  const live = createLiveRecords(path)
  return {
    create(input) {
      check(input)
      const token = `sxc_${randomBytes(32).toString('base64url')}`
      const record: TokenRecord = {
        id: randomBytes(5).toString('hex'),
        name: input.name,
        user: input.user,
        hash: hash('sha256', token),
        createdAt: new Date().toISOString(),
        ...(input.expiresAt !== undefined && { expiresAt: input.expiresAt }),
      }
      change(path, (records) => [...records, record])
      live.look()
      return { token, record }
    },
    list: () => readTokens(path),
    revoke(idOrName) {
      let revoked: readonly TokenRecord[] = []
      change(path, (records) => {
        const byId = records.filter(({ id }) => id === idOrName)
        revoked = byId.length > 0 ? byId : records.filter(({ name }) => name === idOrName)
        return revoked.length === 0 ? undefined : records.filter((record) => !revoked.includes(record))
      })
      live.look()
      return revoked
    },
    find: (token) => live.find(token),
    problem: () => live.problem(),
  }
}

function check({ name, user, expiresAt }: NewToken): void {
  if (!NAME.test(name) || name.trim() !== name) {
    throw new Failure('A token name has 1 to 64 printable characters; choose another name')
  }
  if (!USER.test(user)) throw new Failure('A user has 1 to 64 letters, digits and . _ @ + -; choose another user')
  if (expiresAt !== undefined && !isMoment(expiresAt)) {
    throw new Failure(`A token expires at a moment such as 2030-01-31T12:00:00.000Z, got ${expiresAt}`)
  }
}

function isMoment(text: string): boolean {
  const time = Date.parse(text)
  return Number.isFinite(time) && new Date(time).toISOString() === text
}

/** Reads, alters and replaces the file while nobody else does; `undefined` leaves it as it is. */
function change(path: string, alter: (records: readonly TokenRecord[]) => readonly TokenRecord[] | undefined): void {
  try {
    makePrivateFolder(dirname(path))
    const attempt = (): boolean =>
      withFileLock(`${path}.lock`, (stillOurs) => {
        const records = alter(readTokens(path))
        return records === undefined || replaceFile(path, printTokens(records), stillOurs)
      })
    while (!attempt());
  } catch (error) {
    if (error instanceof Failure) throw error
    const reason = reasonOf(error)
    throw new Failure(`${path} cannot be changed (${reason}); no token was created or revoked`, { cause: error })
  }
}

interface LiveRecords {
  find(token: string): TokenRecord | undefined
  problem(): string | undefined
  /** Looks at the file now, whenever the last look was. */
  look(): void
}

function createLiveRecords(path: string): LiveRecords {
  let byHash: ReadonlyMap<string, TokenRecord> = new Map()
  let signature: string | undefined
  let problem: string | undefined
  let lookedAt = Number.NEGATIVE_INFINITY

  function look(): void {
    // A clock that cannot be set back, or revoking could be put off by it.
    lookedAt = performance.now()
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
    look,
    find(token) {
      if (performance.now() - lookedAt >= LOOK_MS) look()
      if (byHash.size === 0 || !TOKEN.test(token)) return undefined
      const record = byHash.get(hash('sha256', token))
      return record?.expiresAt === undefined || Date.now() < Date.parse(record.expiresAt) ? record : undefined
    },
    problem() {
      if (performance.now() - lookedAt >= LOOK_MS) look()
      return problem
    },
  }
}
