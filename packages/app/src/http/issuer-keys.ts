// Fetches and caches the public keys of an OAuth issuer, found through its metadata, for oauth.ts. Fetched keys stay
// valid for an hour while the issuer is unreachable; without keys all tokens are refused, and fetches are rate-limited.
// Sends HTTP requests to the issuer.

import { errorMessage, Failure } from '@scorpiox/mcp/errors'
import { isLoopback } from '@scorpiox/mcp/http/host-policy'
import { isJsonObject, tryParseJson } from '@scorpiox/mcp/json/json'
import { fetchConfiguredUrl } from '@scorpiox/server/guarded-fetch/configured-fetch'
import { tryParseUrl } from '@scorpiox/server/text/parse-url'

const REFRESH_MS = 10 * 60_000
const STALE_LIMIT_MS = 60 * 60_000 - REFRESH_MS
/** For tokens with an unknown key id, which anyone can send. */
const COOLDOWN_MS = 30_000
const RETRY_MS = 5000
const TIMEOUT_MS = 5000

export interface IssuerOptions {
  readonly issuer: string
  /** '' to use the one in the issuer's metadata. */
  readonly jwksUri: string
  /** Logs why the keys cannot be fetched. Not sent to clients, because the reason may name internal hosts. */
  readonly warn: (message: string) => void
}

/** The key set for jose. It throws a Failure if the issuer is unreachable. */
export async function createIssuerKeys(options: IssuerOptions) {
  const { createRemoteJWKSet, customFetch } = await import('jose')
  const fetchKeys = createJwksFetcher(options)
  return createRemoteJWKSet(new URL(options.jwksUri || options.issuer), {
    cacheMaxAge: REFRESH_MS,
    cooldownDuration: COOLDOWN_MS,
    // Each fetch has its own timeout, and there may be four.
    timeoutDuration: 4 * TIMEOUT_MS,
    [customFetch]: async () => new Response(await fetchKeys()),
  })
}

/** Keys must be fetched over TLS, or from this machine. */
export function checkIssuerUrl(text: string, option: string): void {
  const url = tryParseUrl(text)
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname))
  if (isSafe && url?.username === '' && url.hash === '') return
  throw new Failure(`${option} must be an https URL such as https://login.example.com, got ${text}`)
}

function createJwksFetcher({ issuer, jwksUri, warn }: IssuerOptions): () => Promise<string> {
  let lastKeys: { readonly text: string; readonly at: number } | undefined
  let failedAt = Number.NEGATIVE_INFINITY
  return async () => {
    const now = Date.now()
    const hasJustFailed = Math.abs(now - failedAt) < RETRY_MS
    try {
      // jose retries immediately after a failure, for every token.
      if (hasJustFailed) throw new Failure('The issuer could not be reached a moment ago')
      const text = await fetchJson(jwksUri || (await discover(issuer)), isKeySet)
      lastKeys = { text, at: now }
      return text
    } catch (error) {
      if (!hasJustFailed) {
        failedAt = now
        warn(errorMessage(error))
      }
      if (lastKeys && now - lastKeys.at < STALE_LIMIT_MS) return lastKeys.text
      throw error
    }
  }
}

// RFC 8414 puts the well-known part before the path of the issuer, OpenID Connect after it; some issuers do both.
async function discover(issuer: string): Promise<string> {
  const { origin, pathname } = new URL(issuer)
  const path = pathname.replace(/\/$/, '')
  const metadataUrls = new Set([
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}/.well-known/openid-configuration${path}`,
    `${origin}${path}/.well-known/openid-configuration`,
  ])
  const problems: string[] = []
  for (const metadataUrl of metadataUrls) {
    try {
      return readJwksUri(await fetchJson(metadataUrl, isJsonObject), issuer)
    } catch (error) {
      problems.push(errorMessage(error))
    }
  }
  throw new Failure(`The keys of ${issuer} were not found; set OAUTH_JWKS to their address. ${problems.join('. ')}`)
}

function readJwksUri(text: string, issuer: string): string {
  const metadata: unknown = JSON.parse(text)
  if (!isJsonObject(metadata) || typeof metadata.jwks_uri !== 'string')
    throw new Failure('The metadata has no jwks_uri')
  // RFC 8414, section 3.3: otherwise one issuer could impersonate another.
  if (metadata.issuer !== issuer) {
    throw new Failure(`The metadata is of ${JSON.stringify(metadata.issuer)}; OAUTH_ISSUER must be exactly that`)
  }
  checkIssuerUrl(metadata.jwks_uri, 'The jwks_uri of the issuer')
  return metadata.jwks_uri
}

async function fetchJson(url: string, isExpected: (value: unknown) => boolean): Promise<string> {
  const { status, bytes } = await fetchConfiguredUrl(url, {
    headers: { accept: 'application/json' },
    timeoutMs: TIMEOUT_MS,
  })
  if (status !== 200) throw new Failure(`${url} answered with status ${status}`)
  const text = bytes.toString()
  if (!isExpected(tryParseJson(text))) throw new Failure(`${url} returned unexpected content`)
  return text
}

function isKeySet(value: unknown): boolean {
  return isJsonObject(value) && Array.isArray(value.keys) && value.keys.every(isJsonObject)
}
