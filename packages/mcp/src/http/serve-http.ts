// `serveHttp` for servers written on the library: converts the options and starts the same HTTP server as the program
// (http-server.ts). Loaded by index.ts on first use. Opens a port.

import { isJsonObject } from '../json/json.js'
import { getOsUser } from '../os.js'
import type { McpServer } from '../server/mcp-server.js'
import { type Authenticator, createAuthenticator, type Principal, unauthorized } from './authenticator.js'
import { createHostPolicy, isLoopback, isRefusal, readCredential, type Refusal } from './host-policy.js'
import type { HttpExtensions } from './http-context.js'
import type { Authenticate, AuthenticateResult, HttpOptions, RunningHttpServer } from './http-options.js'
import { startHttpTransport } from './http-server.js'
import { createRateLimits } from './rate-limits.js'

const DEFAULT_MAX_BODY_BYTES = 16 * 1024 * 1024
const KEY_HEADER = 'x-api-key'

export async function startHttpServer(
  server: McpServer,
  options: HttpOptions = {},
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
  const hostPolicy = createHostPolicy({ listenHost: host, publicUrl, allowedHosts })
  if (auth === 'none' && ![host, ...hostPolicy.hosts].every(isLoopback)) {
    throw new Error('without auth only loopback addresses are allowed: no other host, publicUrl or allowedHosts')
  }
  if (typeof auth === 'object' && !auth.token) {
    throw new Error('http.auth.token is empty; set it to a secret')
  }
  const listener = await startHttpTransport(server, {
    extensions,
    host,
    port,
    hostPolicy,
    authenticator: typeof auth === 'function' ? createCustomAuthenticator(auth) : createDefaultAuthenticator(auth),
    rateLimits: createRateLimits({ rate, burst, maxStreams: maxOpenPerUser }),
    maxBodyBytes,
    maxConnections,
  })
  const name = host.includes(':') ? `[${host}]` : host
  return { url: `http://${name}:${listener.port}/mcp`, port: listener.port, close: () => listener.close() }
}

function createCustomAuthenticator(auth: Authenticate): Authenticator {
  return {
    metadata: undefined,
    authenticate(headers) {
      const result = auth(readCredential(headers, KEY_HEADER) ?? '', headers)
      return result instanceof Promise ? result.then(toPrincipal) : toPrincipal(result)
    },
  }
}

/** Anything but a name or a refusal is rejected: looking up `__proto__` in a table of users returns an object. */
function toPrincipal(result: AuthenticateResult): Principal | Refusal {
  if (typeof result === 'string' && result !== '') return { user: result, method: 'token', credentialId: 'auth' }
  return isJsonObject(result) && isRefusal(result) ? result : unauthorized(KEY_HEADER, 'Bearer')
}

function createDefaultAuthenticator(auth: 'none' | { readonly token: string }): Authenticator {
  return createAuthenticator({
    allowAnonymous: auth === 'none',
    fixedTokens: auth === 'none' ? [] : [auth.token],
    keyHeader: KEY_HEADER,
    defaultUser: getOsUser(),
    tokens: undefined,
    oauth: undefined,
  })
}
