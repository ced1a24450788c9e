// Verifies OAuth 2.1 access tokens for `serve --http`: accepts tokens that one issuer has signed for this server, and
// publishes where to get one (RFC 9728). Algorithms are fixed, and keys come from the issuer only (issuer-keys.ts): key
// references in a token are ignored. Created by cli/serve-http.ts. No I/O besides the requests of issuer-keys.ts.

import { Failure } from '@scorpiox/mcp/errors'
import type { AccessTokenVerifier, ChallengeError, VerifiedToken } from '@scorpiox/mcp/http/authenticator'
import { isRefusal, type Refusal } from '@scorpiox/mcp/http/host-policy'
import { tryParseUrl } from '@scorpiox/server/text/parse-url'
import { checkIssuerUrl, createIssuerKeys } from './issuer-keys.js'

const ALGORITHMS = 'RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519'.split(' ')
const CLOCK_TOLERANCE_SECONDS = 30
/** The end of the year 9999. */
const LAST_SECOND = 253_402_300_799
const MAX_TOKEN_LENGTH = 16_384
const COMPACT_JWT = /^[\w-]+\.[\w-]+\.[\w-]+$/
/** RFC 9068 and older names; other tokens signed by the same key, such as logout tokens, are not access tokens. */
const ACCESS_TOKEN_TYPE = /^(application\/)?(at\+jwt|jwt)$/i
const ISSUER_UNREACHABLE: Refusal = {
  status: 503,
  reason: 'The token cannot be checked, because the keys of the issuer cannot be fetched now; try again later',
  headers: { 'retry-after': '5' },
}
const SUBJECT_PATTERN = /^[^\p{C}]{1,255}$/u

export interface OAuthOptions {
  readonly issuer: string
  /** '' for the resource itself. */
  readonly audience: string
  /** '' to use the one in the issuer's metadata. */
  readonly jwksUri: string
  /** All are required. */
  readonly scopes: readonly string[]
  /** The public URL of the endpoint, including its path. */
  readonly resource: string
  /** The claim that names the tenant; undefined if none is asked for. */
  readonly tenantClaim?: string | undefined
  /** Logs why the issuer's keys cannot be fetched. */
  readonly warn?: (message: string) => void
}

export type OAuthVerifier = AccessTokenVerifier

export function createAccessTokenVerifier(options: OAuthOptions): OAuthVerifier {
  const { issuer, jwksUri, scopes, resource } = options
  checkIssuerUrl(issuer, 'OAUTH_ISSUER')
  if (jwksUri !== '') checkIssuerUrl(jwksUri, 'OAUTH_JWKS')
  // RFC 6749, section 3.3; they are quoted in a header.
  if (!scopes.every((scope) => /^[!#-[\]-~]+$/.test(scope))) {
    throw new Failure(`OAUTH_SCOPES must be words separated by spaces, got ${scopes.join(' ')}`)
  }
  const { origin, pathname } = parseResourceUrl(resource)
  const metadataPath = `/.well-known/oauth-protected-resource${pathname.replace(/\/$/, '')}`
  const verifyToken = createTokenVerifier(options)

  function challenge(error?: ChallengeError): string {
    const parameters = [
      ...(error === undefined ? [] : [`error="${error}"`]),
      `resource_metadata="${origin}${metadataPath}"`,
      ...(scopes.length === 0 ? [] : [`scope="${scopes.join(' ')}"`]),
    ]
    return `Bearer ${parameters.join(', ')}`
  }

  return {
    challenge,
    metadataPath,
    metadata: () => ({
      resource,
      authorization_servers: [issuer],
      ...(scopes.length > 0 && { scopes_supported: scopes }),
      bearer_methods_supported: ['header'],
      resource_name: 'scorpiox-code',
    }),
    async verify(token) {
      const verified = await verifyToken(token)
      if (typeof verified === 'string')
        return createRefusal(401, verified, { 'www-authenticate': challenge('invalid_token') })
      if (isRefusal(verified)) return verified
      const missing = scopes.filter((scope) => !verified.scopes.includes(scope))
      if (missing.length === 0) return verified
      const reason = `The token lacks the scope ${missing.join(' ')}; ask the issuer for one that has it`
      return createRefusal(403, reason, { 'www-authenticate': challenge('insufficient_scope') })
    },
  }
}

function parseResourceUrl(resource: string): URL {
  const url = tryParseUrl(resource)
  if (url && /^https?:$/.test(url.protocol)) return url
  throw new Failure(`PUBLIC_URL must be the URL clients use, such as https://mcp.example.com; OAuth needs it`)
}

function createRefusal(status: number, reason: string, headers: Refusal['headers'] & {}): Refusal {
  return { status, reason, headers }
}

/** Returns the verified token, or why it is invalid, or a refusal if it cannot be checked. */
function createTokenVerifier(options: OAuthOptions): (token: string) => Promise<VerifiedToken | string | Refusal> {
  let keys: ReturnType<typeof createIssuerKeys> | undefined
  return async (token) => {
    if (!isCanonical(token)) return 'This is not an access token of the issuer; get one from the issuer'
    keys ??= createIssuerKeys({ warn: () => {}, ...options })
    const { errors, jwtVerify } = await import('jose')
    try {
      const { payload, protectedHeader } = await jwtVerify(token, await keys, {
        algorithms: ALGORITHMS,
        issuer: options.issuer,
        audience: options.audience || options.resource,
        requiredClaims: ['iss', 'aud', 'exp', 'sub'],
        clockTolerance: CLOCK_TOLERANCE_SECONDS,
      })
      return toVerifiedToken(payload, protectedHeader, options.tenantClaim)
    } catch (error) {
      if (error instanceof Failure) return ISSUER_UNREACHABLE
      if (error instanceof errors.JWTExpired) return 'The token has expired; get a new one'
      if (error instanceof errors.JWTClaimValidationFailed) {
        return `The "${error.claim}" of the token does not match this server; get a token for this server from the issuer`
      }
      const code = error instanceof errors.JOSEError ? error.code : 'unusable key'
      return `The token was rejected (${code}); get a new one from the issuer`
    }
  }
}

// Only the canonical encoding is accepted: otherwise caches and logs would see several tokens for one.
function isCanonical(token: string): boolean {
  if (token.length > MAX_TOKEN_LENGTH || !COMPACT_JWT.test(token)) return false
  return token.split('.').every((part) => Buffer.from(part, 'base64url').toString('base64url') === part)
}

function toVerifiedToken(
  payload: Readonly<Record<string, unknown>>,
  header: { crit?: unknown; typ?: unknown },
  tenantClaim: string | undefined,
): VerifiedToken | string {
  const { sub, exp, scope, scp } = payload
  if (header.crit !== undefined) return 'The token requires an unsupported extension; get one without "crit"'
  if (header.typ !== undefined && !(typeof header.typ === 'string' && ACCESS_TOKEN_TYPE.test(header.typ))) {
    return 'The token is not an access token; send the access token of the issuer'
  }
  if (typeof sub !== 'string' || !SUBJECT_PATTERN.test(sub)) return 'The "sub" of the token is invalid; get another one'
  // JSON can express infinity (1e999), which no time ever reaches.
  if (typeof exp !== 'number' || !(exp <= LAST_SECOND)) return 'The "exp" of the token is not a time; get another one'
  const tenant = tenantClaim === undefined ? undefined : payload[tenantClaim]
  return {
    user: `oauth:${sub}`,
    // Most issuers use `scope`, some `scp`, as text or as a list.
    scopes: [...parseScopes(scope), ...parseScopes(scp)],
    expiresAt: exp,
    // The same rule as for users: what is not a name is none.
    tenant: typeof tenant === 'string' && SUBJECT_PATTERN.test(tenant) ? tenant : undefined,
  }
}

function parseScopes(claim: unknown): readonly string[] {
  if (typeof claim === 'string') return claim.split(' ').filter((word) => word !== '')
  return Array.isArray(claim) ? claim.filter((word) => typeof word === 'string') : []
}
