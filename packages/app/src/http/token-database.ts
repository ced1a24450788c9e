// The named tokens of several machines, in their database: creates, lists and revokes them, and finds those of
// requests. A token that was found is trusted for two seconds at most after the last time the database said that
// nothing was revoked; one that is not known here is looked up, so that a new one works at once. Used by `token` and
// `serve --http`. Reads and writes the database; sets timers.

import { errorMessage, Failure } from '@scorpiox/mcp/errors'
import type { FoundToken } from '@scorpiox/mcp/http/authenticator'
import type { Refusal } from '@scorpiox/mcp/http/host-policy'
import {
  deleteTokens,
  insertToken,
  lookUpTokens,
  selectTokens,
  type TokenRow,
} from '@scorpiox/server/machines/token-table'
import type { Database } from '@scorpiox/server/storage/database'
import { type AuthTokenRecord, type AuthTokenStore, createToken, hashToken } from './token-record.js'

const MAX_TOKENS_PER_USER = 1000
const POLL_MS = 1000
/** A revocation is effective everywhere within this time. */
const TRUST_MS = 2000
const MAX_CACHED = 10_000
const MAX_PER_LOOKUP = 500
const MAX_WAITING = 5000

export interface TokenDatabase extends AuthTokenStore {
  create(...args: Parameters<AuthTokenStore['create']>): Promise<ReturnType<typeof createToken>>
  list(): Promise<readonly AuthTokenRecord[]>
}

export interface SharedTokens extends TokenDatabase {
  find(token: string): FoundToken | undefined | Promise<FoundToken | Refusal | undefined>
  /** Calls the listener when a token was revoked on any machine. */
  onRevocation(listener: () => void): void
  close(): void
}

export function openTokenDatabase(database: Database): TokenDatabase {
  return {
    async create(request) {
      const created = createToken(request)
      const { createdAt, expiresAt } = created.record
      const row = {
        ...created.record,
        createdAt: Date.parse(createdAt),
        expiresAt: expiresAt === undefined ? null : Date.parse(expiresAt),
      }
      if (await insertToken(database, row, MAX_TOKENS_PER_USER)) return created
      throw new Failure(`${request.user} has ${MAX_TOKENS_PER_USER} tokens, which is the limit: revoke some first`)
    },
    list: async () => (await database.read(selectTokens)).map(toRecord),
    revoke: async (idOrName) => (await deleteTokens(database, idOrName)).map(toRecord),
  }
}

function toRecord({ id, name, user, hash, createdAt, expiresAt }: TokenRow): AuthTokenRecord {
  const record = { id, name, user, hash, createdAt: new Date(createdAt).toISOString() }
  return expiresAt === null ? record : { ...record, expiresAt: new Date(expiresAt).toISOString() }
}

/** The same, and finds tokens of requests. Asks the database every second until it is closed. */
export function openSharedTokens(database: Database): SharedTokens {
  const cache = new Map<string, TokenRow | undefined>()
  const waiting = new Map<string, ((found: FoundToken | Refusal | undefined) => void)[]>()
  const listeners: (() => void)[] = []
  let isLooking = false
  let revocations = -1
  /** By the monotonic clock: when the database was asked that last knew of no other revocation. */
  let confirmedAt = -Infinity
  /** The time of the database minus the monotonic clock. */
  let clockOffset = 0

  async function look(hashes: readonly string[]): Promise<ReadonlyMap<string, TokenRow>> {
    const sentAt = performance.now()
    const { tokens, ...read } = await database.read((sql) => lookUpTokens(sql, hashes))
    const found = new Map(tokens.map((row) => [row.hash, row]))
    // A snapshot from before a revocation that is known by now must not be remembered.
    if (read.revocations < revocations) return found
    const hasRevoked = revocations >= 0 && read.revocations > revocations
    if (hasRevoked) cache.clear()
    revocations = read.revocations
    confirmedAt = Math.max(confirmedAt, sentAt)
    clockOffset = read.now - performance.now()
    for (const digest of hashes) remember(digest, found.get(digest))
    if (hasRevoked) for (const listener of listeners) listener()
    return found
  }

  function remember(digest: string, row: TokenRow | undefined): void {
    cache.delete(digest)
    cache.set(digest, row)
    const [oldest] = cache.keys()
    if (cache.size > MAX_CACHED && oldest !== undefined) cache.delete(oldest)
  }

  function checkExpiry(row: TokenRow | undefined): FoundToken | undefined {
    const isExpired = row !== undefined && row.expiresAt !== null && row.expiresAt <= performance.now() + clockOffset
    return isExpired ? undefined : row
  }

  /** One lookup at a time, for all that wait: unknown tokens cost the database one connection, however many come. */
  async function lookUpWaiting(): Promise<void> {
    isLooking = true
    while (waiting.size > 0) {
      const batch = [...waiting].slice(0, MAX_PER_LOOKUP)
      for (const [digest] of batch) waiting.delete(digest)
      const answers = await look(batch.map(([digest]) => digest)).then(
        (found) => (digest: string) => checkExpiry(found.get(digest)),
        (error: unknown) => () => refuseUnchecked(error),
      )
      for (const [digest, callbacks] of batch) for (const callback of callbacks) callback(answers(digest))
    }
    // In the same turn as the last check, so that nothing is added in between and left waiting.
    isLooking = false
  }

  function lookUp(digest: string): Promise<FoundToken | Refusal | undefined> {
    const others = waiting.get(digest)
    if (!others && waiting.size >= MAX_WAITING) return Promise.resolve(TOO_MANY)
    return new Promise((resolve) => {
      waiting.set(digest, [...(others ?? []), resolve])
      if (!isLooking) void lookUpWaiting()
    })
  }

  const poll = (): void => void look([]).catch(() => undefined)
  poll()
  const timer = setInterval(poll, POLL_MS).unref()
  return {
    ...openTokenDatabase(database),
    find(token) {
      const digest = hashToken(token)
      if (digest === undefined) return undefined
      const isTrusted = performance.now() - confirmedAt < TRUST_MS
      return isTrusted && cache.has(digest) ? checkExpiry(cache.get(digest)) : lookUp(digest)
    },
    onRevocation: (listener) => void listeners.push(listener),
    close: () => clearInterval(timer),
  }
}

const TOO_MANY: Refusal = {
  status: 503,
  reason: 'Too many unknown tokens are being looked up; nothing was done. Try again',
  headers: { 'retry-after': '1' },
}

function refuseUnchecked(error: unknown): Refusal {
  const reason = `The token cannot be checked (${errorMessage(error)}); nothing was done. Try again later`
  return { status: 503, reason, headers: { 'retry-after': '2' } }
}
