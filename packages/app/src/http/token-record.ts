// A named authentication token: its stored record, which has the hash only, and the creation of new ones. Used by the
// token file, by the tokens of several machines and by `token`. Pure but for random numbers and the clock.

import { hash, randomBytes } from 'node:crypto'

import { Failure } from '@scorpiox/mcp/errors'

/** Tokens are `sxc_` and 43 base64url characters, 256 random bits, so neither a slow hash nor a checksum is needed. */
const TOKEN_PATTERN = /^sxc_[\w-]{43}$/
const NAME_PATTERN = /^[^\p{C}\p{Zl}\p{Zp}]{1,64}$/u
/** No colon: `oauth:…` is reserved for users of an issuer. */
const USER_PATTERN = /^[\w.@+-]{1,64}$/

export interface AuthTokenRecord {
  readonly id: string
  readonly name: string
  readonly user: string
  /** SHA-256 of the token, in hexadecimal. */
  readonly hash: string
  readonly createdAt: string
  readonly expiresAt?: string
}

export interface CreateTokenRequest {
  readonly name: string
  readonly user: string
  /** An ISO 8601 time; without it the token is valid until revoked. */
  readonly expiresAt?: string
}

export interface CreatedToken {
  /** Not stored. */
  readonly token: string
  readonly record: AuthTokenRecord
}

/** Where named tokens are kept: a file, or the database of several machines. */
export interface AuthTokenStore {
  create(request: CreateTokenRequest): CreatedToken | Promise<CreatedToken>
  list(): readonly AuthTokenRecord[] | Promise<readonly AuthTokenRecord[]>
  /** Revokes the token of that id, or else every token of that name, and returns them. */
  revoke(idOrName: string): readonly AuthTokenRecord[] | Promise<readonly AuthTokenRecord[]>
}

/** Throws a Failure if the request is not valid. */
export function createToken(request: CreateTokenRequest): CreatedToken {
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
  return { token, record }
}

/** Undefined if it does not have the form of a token. */
export function hashToken(token: string): string | undefined {
  return TOKEN_PATTERN.test(token) ? hash('sha256', token) : undefined
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
