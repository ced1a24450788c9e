// Who is calling: the credential of a request becomes a user, or a refusal that says how to get one. Named and fixed
// tokens are answered at once; only an access token not seen in the last minute takes a promise.
// The secret itself goes nowhere from here, neither to the log nor to a cache.

import { hash, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'

import { Failure } from '../../lib/failure.js'
import { isRefusal, readCredential, type Refusal } from './gate.js'
import { createVerdicts } from './verdicts.js'

export interface Caller {
  readonly user: string
  readonly via: 'open' | 'token' | 'oauth'
  /** Which credential it was, for the log; never the secret. */
  readonly credential: string
}

export interface Authenticator {
  authenticate(headers: IncomingHttpHeaders): Caller | Refusal | Promise<Caller | Refusal>
  /** The document that tells clients where to get an access token; undefined without OAuth. */
  readonly metadata: object | undefined
  /** Where that document must be found. */
  readonly metadataPath?: string | undefined
  /** The header besides Authorization that decides; undefined: anything may. */
  readonly keyHeader?: string
}

/** The named tokens of a server. */
export interface TokenLookup {
  find(token: string): { readonly id: string; readonly user: string } | undefined
}

export interface VerifiedToken {
  readonly user: string
  readonly scopes: readonly string[]
  /** In seconds since 1970, as the token says it. */
  readonly expiresAt: number
}

export type ChallengeError = 'invalid_token' | 'insufficient_scope'

export interface AccessTokenVerifier {
  /** Never rejects. */
  verify(token: string): Promise<VerifiedToken | Refusal>
  /** The document of RFC 9728, to be served at `metadataPath` to everybody. */
  metadata(): object
  readonly metadataPath: string
  /** The value of WWW-Authenticate. */
  challenge(error?: ChallengeError): string
}

export interface AuthenticatorInput {
  /** Nobody is asked for anything. */
  readonly open: boolean
  readonly keyHeader: string
  /** Those that are '' do not count. */
  readonly fixedTokens: readonly string[]
  /** The user of the fixed tokens, and of everybody where it is open. */
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
    const anybody: Caller = { user: owner, via: 'open', credential: 'none' }
    return { metadata, authenticate: () => anybody }
  }
  const missing = unauthorized(keyHeader, oauth?.challenge() ?? 'Bearer')
  const invalid = unauthorized(keyHeader, oauth?.challenge('invalid_token') ?? 'Bearer error="invalid_token"')
  const fixed: Caller = { user: owner, via: 'token', credential: 'HTTP_TOKEN' }
  const comparisons = fixedTokens.filter((token) => token !== '').map(createComparison)
  const isFixed = (credential: string): boolean => comparisons.some((isEqual) => isEqual(credential))
  const judge = oauth && createJudge(oauth)
  return {
    metadata,
    metadataPath: oauth?.metadataPath,
    keyHeader,
    authenticate(headers) {
      const credential = readCredential(headers, keyHeader)
      if (credential === undefined) return missing
      const record = tokens?.find(credential)
      if (record) return { user: record.user, via: 'token', credential: record.id }
      if (isFixed(credential)) return fixed
      return judge && hasTwoDots(credential) ? judge(credential) : invalid
    },
  }
}

function checkKeyHeader(name: string): string {
  const lower = name.toLowerCase()
  // A browser sends the first four of its own accord, and Authorization is read anyway.
  const unfit = ['cookie', 'host', 'origin', 'referer', 'authorization'].includes(lower)
  if (/^[a-z\d!#$%&'*+.^_`|~-]+$/.test(lower) && !unfit) return lower
  throw new Failure(`HTTP_KEY_HEADER must be the name of a header of its own, such as X-API-Key, got ${name}`)
}

export function unauthorized(keyHeader: string, challenge: string): Refusal {
  return {
    status: 401,
    reason: `Send a valid token as "Authorization: Bearer <token>" or "${keyHeader}: <token>"`,
    headers: { 'www-authenticate': challenge },
  }
}

// Digests are of one length, so the comparison tells nothing about the token's.
function createComparison(secret: string): (given: string) => boolean {
  const expected = hash('sha256', secret, 'buffer')
  return (given) => timingSafeEqual(hash('sha256', given, 'buffer'), expected)
}

function createJudge(oauth: AccessTokenVerifier): (token: string) => Caller | Promise<Caller | Refusal> {
  const verdicts = createVerdicts<Caller>(Date.now)
  return (token) => {
    const digest = hash('sha256', token)
    return verdicts.get(digest) ?? judged(token, digest)
  }
  async function judged(token: string, digest: string): Promise<Caller | Refusal> {
    const grant = await oauth.verify(token)
    if (isRefusal(grant)) return grant
    const caller: Caller = { user: grant.user, via: 'oauth', credential: `jwt:${digest.slice(0, 12)}` }
    verdicts.set(digest, caller, grant.expiresAt * 1000)
    return caller
  }
}

function hasTwoDots(credential: string): boolean {
  const first = credential.indexOf('.')
  const second = credential.indexOf('.', first + 1)
  return first > 0 && second > 0 && !credential.includes('.', second + 1)
}
