// OAuth 2.1 resource server: takes access tokens that one issuer has signed for this server, and says to everybody else
// where to get one (RFC 9728). It issues nothing and passes nothing on. Algorithms are pinned, and keys come from the
// issuer only: what a token says about keys is not looked at.

import { Failure } from '../../lib/failure.js'
import type { AccessTokenVerifier, ChallengeError, VerifiedToken } from './auth.js'
import { isRefusal, type Refusal } from './gate.js'
import { checkIssuerUrl, createIssuerKeys } from './issuer-keys.js'

const ALGORITHMS = 'RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519'.split(' ')
const CLOCK_TOLERANCE_SECONDS = 30
const MAX_TOKEN_LENGTH = 16_384
const COMPACT = /^[\w-]+\.[\w-]+\.[\w-]+$/
/** RFC 9068, and the names older issuers give; a logout or an event signed by the same key is no access token. */
const ACCESS_TOKEN = /^(application\/)?(at\+jwt|jwt)$/i
const UNREACHABLE: Refusal = {
  status: 503,
  reason: 'The token cannot be checked, because the keys of the issuer cannot be fetched just now; try again soon',
  headers: { 'retry-after': '5' },
}
const SUBJECT = /^[^\p{C}]{1,255}$/u

export interface OAuthSettings {
  readonly issuer: string
  /** '' for the resource itself. */
  readonly audience: string
  /** '' to find it in the metadata of the issuer. */
  readonly jwksUri: string
  /** All of them are needed. */
  readonly scopes: readonly string[]
  /** The public URL of the endpoint, its path included. */
  readonly resource: string
  /** Told, for the log, why the keys of the issuer cannot be had. */
  readonly warn?: (message: string) => void
}

export type OAuth = AccessTokenVerifier

export function createOAuth(settings: OAuthSettings): OAuth {
  const { issuer, jwksUri, scopes, resource } = settings
  checkIssuerUrl(issuer, 'OAUTH_ISSUER')
  if (jwksUri !== '') checkIssuerUrl(jwksUri, 'OAUTH_JWKS')
  // RFC 6749, section 3.3; they stand between quotes in a header.
  if (!scopes.every((scope) => /^[!#-[\]-~]+$/.test(scope))) {
    throw new Failure(`OAUTH_SCOPES must be words with spaces between them, got ${scopes.join(' ')}`)
  }
  const { origin, pathname } = parseResource(resource)
  const metadataPath = `/.well-known/oauth-protected-resource${pathname.replace(/\/$/, '')}`
  const verifier = createVerifier(settings)

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
      const grant = await verifier(token)
      if (typeof grant === 'string') return refusal(401, grant, { 'www-authenticate': challenge('invalid_token') })
      if (isRefusal(grant)) return grant
      const missing = scopes.filter((scope) => !grant.scopes.includes(scope))
      if (missing.length === 0) return grant
      const reason = `The token lacks the scope ${missing.join(' ')}; ask the issuer for one that has it`
      return refusal(403, reason, { 'www-authenticate': challenge('insufficient_scope') })
    },
  }
}

function parseResource(resource: string): URL {
  if (URL.canParse(resource) && /^https?:$/.test(new URL(resource).protocol)) return new URL(resource)
  throw new Failure(`PUBLIC_URL must be the URL clients use, such as https://mcp.example.com; OAuth needs it`)
}

function refusal(status: number, reason: string, headers: Refusal['headers'] & {}): Refusal {
  return { status, reason, headers }
}

/** Gives the grant, or the sentence that says why the token is invalid, or a refusal when that cannot be told. */
function createVerifier(settings: OAuthSettings): (token: string) => Promise<VerifiedToken | string | Refusal> {
  let keys: ReturnType<typeof createIssuerKeys> | undefined
  return async (token) => {
    if (!isCanonical(token)) return 'This is not an access token of the issuer; get one there'
    keys ??= createIssuerKeys({ warn: () => {}, ...settings })
    const { errors, jwtVerify } = await import('jose')
    try {
      const { payload, protectedHeader } = await jwtVerify(token, await keys, {
        algorithms: ALGORITHMS,
        issuer: settings.issuer,
        audience: settings.audience || settings.resource,
        requiredClaims: ['iss', 'aud', 'exp', 'sub'],
        clockTolerance: CLOCK_TOLERANCE_SECONDS,
      })
      return grantOf(payload, protectedHeader)
    } catch (error) {
      if (error instanceof Failure) return UNREACHABLE
      if (error instanceof errors.JWTExpired) return 'The token has expired; get a new one'
      if (error instanceof errors.JWTClaimValidationFailed) {
        return `The "${error.claim}" of the token does not fit this server; get one that the issuer made for it`
      }
      const code = error instanceof errors.JOSEError ? error.code : 'unusable key'
      return `The token was refused (${code}); get a new one from the issuer`
    }
  }
}

// One signature must have one spelling, or a cache and a log would see several tokens where there is one.
function isCanonical(token: string): boolean {
  if (token.length > MAX_TOKEN_LENGTH || !COMPACT.test(token)) return false
  return token.split('.').every((part) => Buffer.from(part, 'base64url').toString('base64url') === part)
}

function grantOf(
  payload: Readonly<Record<string, unknown>>,
  header: { crit?: unknown; typ?: unknown },
): VerifiedToken | string {
  const { sub, exp, scope, scp } = payload
  if (header.crit !== undefined) return 'The token asks for an extension that is not known here; get one without "crit"'
  if (header.typ !== undefined && !(typeof header.typ === 'string' && ACCESS_TOKEN.test(header.typ))) {
    return 'The token is not an access token; present the access token of the issuer'
  }
  if (typeof sub !== 'string' || !SUBJECT.test(sub)) return 'The "sub" of the token names nobody; get another one'
  if (typeof exp !== 'number') return 'The "exp" of the token is not a time; get another one'
  // Most issuers say `scope`; some say `scp`, as text or as a list.
  return { user: `oauth:${sub}`, scopes: [...wordsOf(scope), ...wordsOf(scp)], expiresAt: exp }
}

function wordsOf(claim: unknown): readonly string[] {
  if (typeof claim === 'string') return claim.split(' ').filter((word) => word !== '')
  return Array.isArray(claim) ? claim.filter((word) => typeof word === 'string') : []
}
