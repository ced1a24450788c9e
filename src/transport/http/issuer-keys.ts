// The public keys of an OAuth issuer, wherever its metadata says they are. Keys that were fetched once keep working
// for an hour while the issuer cannot be reached; without any, nobody is let in, and the issuer is not asked in a storm.

import { Failure } from '../../lib/failure.js'
import { isObject, parseJson } from '../../lib/json.js'
import { reasonOf } from '../../lib/reason-of.js'
import { fetchFrom } from '../../platform/http.js'
import { isLoopback } from './gate.js'

const REFRESH_MS = 10 * 60_000
const KEEP_MS = 60 * 60_000 - REFRESH_MS
/** For tokens that name a key nobody knows, which anybody can send. */
const COOLDOWN_MS = 30_000
const RETRY_MS = 5000
const TIMEOUT_MS = 5000

export interface IssuerSettings {
  readonly issuer: string
  /** '' to find it in the metadata of the issuer. */
  readonly jwksUri: string
  /** Told why the keys cannot be had: callers are not, it may name machines they do not know. */
  readonly warn: (message: string) => void
}

/** The keys as jose asks for them. What they throw when the issuer cannot be reached is a Failure. */
export async function createIssuerKeys(settings: IssuerSettings) {
  const { createRemoteJWKSet, customFetch } = await import('jose')
  const fetchKeys = createKeySource(settings)
  return createRemoteJWKSet(new URL(settings.jwksUri || settings.issuer), {
    cacheMaxAge: REFRESH_MS,
    cooldownDuration: COOLDOWN_MS,
    // Each fetch has a timeout of its own, and there may be four.
    timeoutDuration: 4 * TIMEOUT_MS,
    [customFetch]: async () => new Response(await fetchKeys()),
  })
}

/** Keys are worth what the way to them is worth, so it is TLS, or does not leave this machine. */
export function checkIssuerUrl(text: string, option: string): void {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const safe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname))
  if (safe && url?.username === '' && url.hash === '') return
  throw new Failure(`${option} must be an https URL such as https://login.example.com, got ${text}`)
}

function createKeySource({ issuer, jwksUri, warn }: IssuerSettings): () => Promise<string> {
  let kept: { readonly text: string; readonly at: number } | undefined
  let failedAt = Number.NEGATIVE_INFINITY
  return async () => {
    const now = Date.now()
    const hasJustFailed = Math.abs(now - failedAt) < RETRY_MS
    try {
      // jose asks again at once after a failure, for every token that comes.
      if (hasJustFailed) throw new Failure('The issuer could not be reached a moment ago')
      const text = await fetchJson(jwksUri || (await discover(issuer)), isKeySet)
      kept = { text, at: now }
      return text
    } catch (error) {
      if (!hasJustFailed) {
        failedAt = now
        warn(reasonOf(error))
      }
      if (kept && now - kept.at < KEEP_MS) return kept.text
      throw error
    }
  }
}

// RFC 8414 puts the well-known part before the path of the issuer, OpenID Connect behind it; some do both.
async function discover(issuer: string): Promise<string> {
  const { origin, pathname } = new URL(issuer)
  const path = pathname.replace(/\/$/, '')
  const places = new Set([
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}/.well-known/openid-configuration${path}`,
    `${origin}${path}/.well-known/openid-configuration`,
  ])
  const problems: string[] = []
  for (const place of places) {
    try {
      return keysNamedIn(await fetchJson(place, isObject), issuer)
    } catch (error) {
      problems.push(reasonOf(error))
    }
  }
  throw new Failure(`The keys of ${issuer} were not found; set OAUTH_JWKS to their address. ${problems.join('. ')}`)
}

function keysNamedIn(text: string, issuer: string): string {
  const metadata: unknown = JSON.parse(text)
  if (!isObject(metadata) || typeof metadata.jwks_uri !== 'string') throw new Failure('The metadata names no jwks_uri')
  // RFC 8414, section 3.3: otherwise one issuer could speak for another.
  if (metadata.issuer !== issuer) {
    throw new Failure(`The metadata is of ${JSON.stringify(metadata.issuer)}; OAUTH_ISSUER must be exactly that`)
  }
  checkIssuerUrl(metadata.jwks_uri, 'The jwks_uri of the issuer')
  return metadata.jwks_uri
}

async function fetchJson(url: string, isExpected: (value: unknown) => boolean): Promise<string> {
  const { status, bytes } = await fetchFrom(url, { headers: { accept: 'application/json' }, timeoutMs: TIMEOUT_MS })
  if (status !== 200) throw new Failure(`${url} answered with status ${status}`)
  const text = bytes.toString()
  if (!isExpected(parseJson(text))) throw new Failure(`${url} answered with something else than was asked for`)
  return text
}

function isKeySet(value: unknown): boolean {
  return isObject(value) && Array.isArray(value.keys) && value.keys.every(isObject)
}
