// Authenticates requests: converts a credential to a user, or to a refusal. Named and fixed tokens are checked
// synchronously; an access token that was not seen in the last minute takes a promise. Secrets are neither logged nor
// cached.

import { hash, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'

import { Failure } from '../../lib/failure.js'
import { isRefusal, readCredential, type Refusal } from './gate.js'
import { createVerdicts } from './verdicts.js'

export interface Caller {
  readonly user: string
  readonly via: 'open' | 'token' | 'oauth'
  /** The id of the credential, for the log; never the secret. */
  readonly credential: string
}

export interface Authenticator {
  authenticate(headers: IncomingHttpHeaders): Caller | Refusal | Promise<Caller | Refusal>
  /** The OAuth metadata document that clients read; undefined without OAuth. */
  readonly metadata: object | undefined
  /** The path of that document. */
  readonly metadataPath?: string | undefined
  /** The header besides Authorization that may contain a credential; undefined if any header may matter. */
  readonly keyHeader?: string
}

/** The named tokens of a server. */
export interface TokenLookup {
  find(token: string): { readonly id: string; readonly user: string } | undefined
}

export interface VerifiedToken {
  readonly user: string
  readonly scopes: readonly string[]
  /** From the token, in seconds since 1970. */
  readonly expiresAt: number
}

export type ChallengeError = 'invalid_token' | 'insufficient_scope'

export interface AccessTokenVerifier {
  /** Never rejects. */
  verify(token: string): Promise<VerifiedToken | Refusal>
  /** The document of RFC 9728, served at `metadataPath` without authentication. */
  metadata(): object
  readonly metadataPath: string
  /** The value of WWW-Authenticate. */
  challenge(error?: ChallengeError): string
}

export interface AuthenticatorInput {
  /** No credential is required. */
  readonly open: boolean
  readonly keyHeader: string
  /** Empty strings are ignored. */
  readonly fixedTokens: readonly string[]
  /** The user of the fixed tokens, and of all requests if no credential is required. */
  readonly owner: string
  readonly tokens: TokenLookup | undefined
  readonly oauth: AccessTokenVerifier | undefined
}

export function createAuthenticator({
  open,
  fixedTokens,
  owner,
  tokens,
  oauth,
  ...rest
}: AuthenticatorInput): Authenticator {
  const keyHeader = checkKeyHeader(rest.keyHeader)
  const metadata = oauth?.metadata()
  if (open) {
    const anonymous: Caller = { user: owner, via: 'open', credential: 'none' }
    return { metadata, authenticate: () => anonymous }
  }
  const missing = unauthorized(keyHeader, oauth?.challenge() ?? 'Bearer')
  const invalid = unauthorized(keyHeader, oauth?.challenge('invalid_token') ?? 'Bearer error="invalid_token"')
  const fixedPrincipal: Caller = { user: owner, via: 'token', credential: 'HTTP_TOKEN' }
  const comparisons = fixedTokens.filter((token) => token !== '').map(createComparison)
  const isFixedToken = (credential: string): boolean => comparisons.some((isEqual) => isEqual(credential))
  const verify = oauth && createCachedVerifier(oauth)
  return {
    metadata,
    metadataPath: oauth?.metadataPath,
    keyHeader,
    authenticate(headers) {
      const credential = readCredential(headers, keyHeader)
      if (credential === undefined) return missing
      const record = tokens?.find(credential)
      if (record) return { user: record.user, via: 'token', credential: record.id }
      if (isFixedToken(credential)) return fixedPrincipal
      return verify && hasTwoDots(credential) ? verify(credential) : invalid
    },
  }
}

function checkKeyHeader(name: string): string {
  const lower = name.toLowerCase()
  // Browsers send the first four automatically, and Authorization is read anyway.
  const isReserved = ['cookie', 'host', 'origin', 'referer', 'authorization'].includes(lower)
  if (/^[a-z\d!#$%&'*+.^_`|~-]+$/.test(lower) && !isReserved) return lower
  throw new Failure(`HTTP_KEY_HEADER must be the name of a header of its own, such as X-API-Key, got ${name}`)
}

export function unauthorized(keyHeader: string, challenge: string): Refusal {
  return {
    status: 401,
    reason: `Send a valid token as "Authorization: Bearer <token>" or "${keyHeader}: <token>"`,
    headers: { 'www-authenticate': challenge },
  }
}

// Digests have equal length, so the comparison does not reveal the length of the token.
function createComparison(secret: string): (credential: string) => boolean {
  const expected = hash('sha256', secret, 'buffer')
  return (credential) => timingSafeEqual(hash('sha256', credential, 'buffer'), expected)
}

function createCachedVerifier(oauth: AccessTokenVerifier): (token: string) => Caller | Promise<Caller | Refusal> {
  const cache = createVerdicts<Caller>(Date.now)
  return (token) => {
    const digest = hash('sha256', token)
    return cache.get(digest) ?? verifyAndCache(token, digest)
  }
  async function verifyAndCache(token: string, digest: string): Promise<Caller | Refusal> {
    const verified = await oauth.verify(token)
    if (isRefusal(verified)) return verified
    const principal: Caller = { user: verified.user, via: 'oauth', credential: `jwt:${digest.slice(0, 12)}` }
    cache.set(digest, principal, verified.expiresAt * 1000)
    return principal
  }
}

function hasTwoDots(credential: string): boolean {
  const first = credential.indexOf('.')
  const second = credential.indexOf('.', first + 1)
  return first > 0 && second > 0 && !credential.includes('.', second + 1)
}
