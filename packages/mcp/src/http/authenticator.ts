// Authenticates HTTP requests: converts a credential to a user, or to a refusal. Named and fixed tokens are checked
// synchronously; an access token that was not seen in the last minute takes a promise. Secrets are neither logged nor
// cached. Created by serve-http.ts here and by `serve --http` and `ui` of the app; asked by router.ts. No I/O of its
// own: the token file and the verifier are parameters.

import { hash } from 'node:crypto'
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'

import type { AuthContext } from '../definitions/auth-context.js'
import { Failure } from '../errors.js'
import { isSameSecret } from '../is-same-secret.js'
import { isRefusal, readCredential, type Refusal } from './host-policy.js'

const MAX_AGE_MS = 60_000
const MAX_ENTRIES = 1000

export interface AuthResultCache<T> {
  get(digest: string): T | undefined
  set(digest: string, result: T, tokenExpiresAt: number): void
}

/**
 * Caches authentication results by token digest for at most a minute, and not beyond the token's expiry. The oldest
 * entries are dropped first.
 */
export function createAuthResultCache<T>(now: () => number): AuthResultCache<T> {
  const entries = new Map<string, { readonly result: T; readonly cachedAt: number; readonly expiresAt: number }>()
  return {
    get(digest) {
      const entry = entries.get(digest)
      if (!entry) return undefined
      const time = now()
      // Entries are not extended if the clock is set back.
      if (time < entry.expiresAt && time >= entry.cachedAt) return entry.result
      entries.delete(digest)
      return undefined
    },
    set(digest, result, tokenExpiresAt) {
      const cachedAt = now()
      const expiresAt = Math.min(tokenExpiresAt, cachedAt + MAX_AGE_MS)
      if (expiresAt <= cachedAt) return
      entries.delete(digest)
      const [oldest] = entries.keys()
      if (entries.size >= MAX_ENTRIES && oldest !== undefined) entries.delete(oldest)
      entries.set(digest, { result, cachedAt, expiresAt })
    },
  }
}

export interface Principal {
  readonly user: string
  readonly method: 'open' | 'token' | 'oauth'
  /** The id of the credential, for the log; never the secret. */
  readonly credentialId: string
  /** The tenant that the credential names, if the server asks for one. */
  readonly tenant?: string | undefined
  /** The scopes of the credential; none if it is not known to have any. */
  readonly scopes?: readonly string[] | undefined
  /** What else is known of the user. */
  readonly claims?: unknown
}

/** What tools see of an authenticated request; undefined if no credential is required. */
export function toAuthContext(principal: Principal | undefined): AuthContext<unknown> | undefined {
  if (!principal || principal.method === 'open') return undefined
  const { user, scopes = [], claims = {} } = principal
  return { user, scopes, claims }
}

export interface Authenticator {
  authenticate(headers: IncomingHttpHeaders): Principal | Refusal | Promise<Principal | Refusal>
  /** The OAuth metadata document that clients read; undefined without OAuth. */
  readonly metadata: object | undefined
  /** The path of that document. */
  readonly metadataPath?: string | undefined
  /** The URL of that document, for challenges. */
  readonly metadataUrl?: string | undefined
  /** The header besides Authorization that may contain a credential; undefined if any header may matter. */
  readonly keyHeader?: string
}

/** The named tokens of a server. */
export interface TokenLookup {
  /** A promise if the token has to be looked up; a refusal if it cannot be. The promise never rejects. */
  find(token: string): FoundToken | undefined | Promise<FoundToken | Refusal | undefined>
}

export interface FoundToken {
  readonly id: string
  readonly user: string
}

export interface VerifiedToken {
  readonly user: string
  readonly scopes: readonly string[]
  /** From the token, in seconds since 1970. */
  readonly expiresAt: number
  readonly tenant?: string | undefined
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

export interface AuthenticatorOptions {
  /** No credential is required. A caller with a fixed token is still distinguished from those without. */
  readonly allowAnonymous: boolean
  readonly keyHeader: string
  /** Empty strings are ignored. */
  readonly fixedTokens: readonly string[]
  /** What the fixed tokens grant. */
  readonly fixedScopes?: readonly string[] | undefined
  /** The user of the fixed tokens, and of all requests if no credential is required. */
  readonly defaultUser: string
  readonly tokens: TokenLookup | undefined
  readonly oauth: AccessTokenVerifier | undefined
}

export function createAuthenticator({
  allowAnonymous,
  fixedTokens,
  fixedScopes: scopes,
  defaultUser,
  tokens,
  oauth,
  ...rest
}: AuthenticatorOptions): Authenticator {
  const keyHeader = parseKeyHeader(rest.keyHeader)
  const metadata = oauth?.metadata()
  const fixedPrincipal: Principal = { user: defaultUser, method: 'token', credentialId: 'HTTP_TOKEN', scopes }
  const secrets = fixedTokens.filter((token) => token !== '')
  const isFixedToken = (credential: string): boolean => secrets.some((secret) => isSameSecret(credential, secret))
  if (allowAnonymous) {
    const anonymous: Principal = { user: defaultUser, method: 'open', credentialId: 'none' }
    if (secrets.length === 0) return { metadata, authenticate: () => anonymous }
    return {
      metadata,
      keyHeader,
      authenticate(headers) {
        const credential = readCredential(headers, keyHeader)
        return credential !== undefined && isFixedToken(credential) ? fixedPrincipal : anonymous
      },
    }
  }
  const missing = unauthorized(keyHeader, oauth?.challenge() ?? 'Bearer')
  const invalid = unauthorized(keyHeader, oauth?.challenge('invalid_token') ?? 'Bearer error="invalid_token"')
  const verify = oauth && createCachedVerifier(oauth)
  return {
    metadata,
    metadataPath: oauth?.metadataPath,
    keyHeader,
    authenticate(headers) {
      const credential = readCredential(headers, keyHeader)
      if (credential === undefined) return missing
      const found = tokens?.find(credential)
      return found instanceof Promise ? found.then((record) => decide(credential, record)) : decide(credential, found)
    },
  }

  function decide(
    credential: string,
    record: FoundToken | Refusal | undefined,
  ): Principal | Refusal | Promise<Principal | Refusal> {
    if (record && isRefusal(record)) return record
    if (record) return { user: record.user, method: 'token', credentialId: record.id }
    if (isFixedToken(credential)) return fixedPrincipal
    return verify && hasTwoDots(credential) ? verify(credential) : invalid
  }
}

/** In lower case; throws a Failure if it cannot carry a token. */
export function parseKeyHeader(name: string): string {
  const lower = name.toLowerCase()
  // Browsers send the first four automatically, and Authorization is read anyway.
  const isReserved = ['cookie', 'host', 'origin', 'referer', 'authorization'].includes(lower)
  if (/^[a-z\d!#$%&'*+.^_`|~-]+$/.test(lower) && !isReserved) return lower
  throw new Failure(`The header of the token must be one of its own, such as X-API-Key, got ${name}`)
}

export function unauthorized(keyHeader: string, challenge: string): Refusal {
  return {
    status: 401,
    reason: `Send a valid token as "Authorization: Bearer <token>" or "${keyHeader}: <token>"`,
    headers: { 'www-authenticate': challenge },
  }
}

function createCachedVerifier(oauth: AccessTokenVerifier): (token: string) => Principal | Promise<Principal | Refusal> {
  const cache = createAuthResultCache<Principal>(Date.now)
  return (token) => {
    const digest = hash('sha256', token)
    return cache.get(digest) ?? verifyAndCache(token, digest)
  }
  async function verifyAndCache(token: string, digest: string): Promise<Principal | Refusal> {
    const verified = await oauth.verify(token)
    if (isRefusal(verified)) return verified
    const { user, tenant, scopes } = verified
    const principal: Principal = { user, tenant, scopes, method: 'oauth', credentialId: `jwt:${digest.slice(0, 12)}` }
    cache.set(digest, principal, verified.expiresAt * 1000)
    return principal
  }
}

function hasTwoDots(credential: string): boolean {
  const first = credential.indexOf('.')
  const second = credential.indexOf('.', first + 1)
  return first > 0 && second > 0 && !credential.includes('.', second + 1)
}

/**
 * Re-authenticates an open connection: its token may have been revoked or expired. A 5xx of the verifier (issuer
 * unreachable) does not end the connection.
 */
export async function isStillAuthorized(
  authenticator: Authenticator,
  { headers }: IncomingMessage,
  user: string,
): Promise<boolean> {
  const result = await authenticator.authenticate(headers)
  return isRefusal(result) ? result.status >= 500 : result.user === user
}
