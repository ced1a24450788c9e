// `serveHttp` for servers written on the library: converts the options and starts the same HTTP server as the program
// (http-server.ts). Loaded by index.ts on first use. Opens a port.

import { isJsonObject } from '../json/json.js'
import { getOsUser } from '../os.js'
import type { McpServer } from '../server/mcp-server.js'
import { type Authenticator, createAuthenticator, type Principal, unauthorized } from './authenticator.js'
import { createHostPolicy, isLoopback, isRefusal, readCredential, type Refusal } from './host-policy.js'
import type { HttpExtensions } from './http-context.js'
import type { Authenticate, AuthenticateResult, HttpOptions, HttpRoute, RunningHttpServer } from './http-options.js'
import { startHttpTransport } from './http-server.js'
import { createRateLimits } from './rate-limits.js'

const DEFAULT_MAX_BODY_BYTES = 16 * 1024 * 1024
const KEY_HEADER = 'x-api-key'
const METADATA_PATHS: ReadonlySet<string> = new Set([
  '/.well-known/oauth-protected-resource',
  '/.well-known/oauth-protected-resource/mcp',
])

export async function startHttpServer<Claims>(
  server: McpServer,
  options: HttpOptions<Claims> = {},
  extensions?: HttpExtensions,
): Promise<RunningHttpServer> {
  const {
    host = '127.0.0.1',
    port = 0,
    publicUrl = '',
    allowedHosts = [],
    maxBodyBytes = DEFAULT_MAX_BODY_BYTES,
  } = options
  const { auth = 'none', rate = 0, burst = 2 * rate, maxOpenPerUser = 1000, maxConnections = 10_000 } = options
  const { routes = [] } = options
  const hostPolicy = createHostPolicy({ listenHost: host, publicUrl, allowedHosts })
  if (auth === 'none' && ![host, ...hostPolicy.hosts].every(isLoopback)) {
    throw new Error('without auth only loopback addresses are allowed: no other host, publicUrl or allowedHosts')
  }
  checkAuth(auth)
  // Loaded only if there are routes.
  const customRoutes = routes.length > 0 ? await import('./custom-routes.js') : undefined
  const createRoutes = customRoutes?.createCustomRoutes(routes)
  const metadataUrl = findMetadataUrl(publicUrl, routes)
  const listener = await startHttpTransport(server, {
    extensions: createRoutes ? { ...extensions, routes: createRoutes } : extensions,
    host,
    port,
    hostPolicy,
    authenticator:
      typeof auth === 'function' ? createCustomAuthenticator(auth, metadataUrl) : createDefaultAuthenticator(auth),
    rateLimits: createRateLimits({ rate, burst, maxStreams: maxOpenPerUser }),
    maxBodyBytes,
    maxConnections,
  })
  const name = host.includes(':') ? `[${host}]` : host
  return { url: `http://${name}:${listener.port}/mcp`, port: listener.port, close: () => listener.close() }
}

/** In JavaScript it may be anything, such as the token itself. */
function checkAuth(auth: unknown): void {
  if (auth === 'none' || typeof auth === 'function') return
  if (!isJsonObject(auth)) throw new Error("http.auth must be 'none', an object with a token, or a function")
  const { token, scopes } = auth
  if (typeof token !== 'string' || token === '') throw new Error('http.auth.token is empty; set it to a secret')
  if (!/^[\x21-\x7E]+$/.test(token))
    throw new Error('http.auth.token has characters that no client can send in a header; use letters, digits and -._~')
  if (scopes !== undefined && !Array.isArray(scopes)) throw new Error('http.auth.scopes must be a list')
}

/** The metadata of RFC 9728, if a public route serves it: challenges name its URL, so that clients find it. */
function findMetadataUrl(publicUrl: string, routes: readonly HttpRoute<unknown>[]): string | undefined {
  const route = routes.find(({ path, auth }) => METADATA_PATHS.has(path) && auth === 'none')
  return route && publicUrl !== '' ? new URL(route.path, publicUrl).href : undefined
}

function createCustomAuthenticator<Claims>(auth: Authenticate<Claims>, metadataUrl: string | undefined): Authenticator {
  const challenge = metadataUrl === undefined ? 'Bearer' : `Bearer resource_metadata="${metadataUrl}"`
  const refusal = unauthorized(KEY_HEADER, challenge)
  const decide = (result: AuthenticateResult<Claims>): Principal | Refusal => toPrincipal(result) ?? refusal
  return {
    metadata: undefined,
    metadataUrl,
    authenticate(headers) {
      const result = auth(readCredential(headers, KEY_HEADER) ?? '', headers)
      return result instanceof Promise ? result.then(decide) : decide(result)
    },
  }
}

/**
 * Anything but a name, a refusal or an object with a name of its own is rejected: looking up `__proto__` in a table of
 * users returns an object.
 */
function toPrincipal<Claims>(result: AuthenticateResult<Claims>): Principal | Refusal | undefined {
  const source = { method: 'token', credentialId: 'auth' } as const
  if (typeof result === 'string') return result === '' ? undefined : { user: result, ...source }
  if (typeof result !== 'object' || result === null) return undefined
  if (isRefusal(result)) return result
  if (!Object.hasOwn(result, 'user') || typeof result.user !== 'string' || result.user === '') return undefined
  const { user, scopes, claims } = result
  // A text would be searched for parts of the names of scopes.
  if (scopes !== undefined && !Array.isArray(scopes)) throw new TypeError('the scopes that auth returns must be a list')
  return { user, scopes, claims, ...source }
}

function createDefaultAuthenticator(
  auth: 'none' | { readonly token: string; readonly scopes?: readonly string[] },
): Authenticator {
  return createAuthenticator({
    allowAnonymous: auth === 'none',
    fixedTokens: auth === 'none' ? [] : [auth.token],
    fixedScopes: auth === 'none' ? undefined : auth.scopes,
    keyHeader: KEY_HEADER,
    defaultUser: getOsUser(),
    tokens: undefined,
    oauth: undefined,
  })
}
