// HTTP for servers written on the library: converts the options and starts the same HTTP server as the program.

import { isJsonObject } from '../json/json.js'
import { getOsUser } from '../os-user.js'
import type { McpServer } from '../server/mcp-server.js'
import { type Authenticator, createAuthenticator, type Principal, unauthorized } from './authenticator.js'
import { createHostPolicy, isLoopback, isRefusal, readCredential, type Refusal } from './host-policy.js'
import type { HttpExtensions } from './http-context.js'
import { startHttpTransport } from './http-server.js'
import { createRateLimits } from './rate-limits.js'

const DEFAULT_MAX_BODY_BYTES = 16 * 1024 * 1024
const KEY_HEADER = 'x-api-key'

/** Options of `serveHttp`. */
export interface HttpOptions {
  /** The listen address; 127.0.0.1 by default. */
  readonly host?: string
  /** The port; any free port by default. */
  readonly port?: number
  /** Authentication: none, which allows this machine only, a token, or your own function. */
  readonly auth?: 'none' | { readonly token: string } | Authenticate
  /** The public URL, if it is not the listen address. */
  readonly publicUrl?: string
  /** Further host names of this server: `name` or `name:port`. */
  readonly allowedHosts?: readonly string[]
  /** The largest request body; 16 MiB by default. */
  readonly maxBodyBytes?: number
  /** Requests per second and user; 0 for no limit. */
  readonly rate?: number
  /** Requests at once before `rate` applies; twice the rate by default. */
  readonly burst?: number
  /** Open requests and streams per user; 0 for no limit. */
  readonly maxOpenPerUser?: number
  /** Open connections in total; 10,000 by default. */
  readonly maxConnections?: number
}

/**
 * Returns the user name for a token ('' for none) and headers; all data is kept per user. Undefined refuses the
 * request with 401, a refusal with its own status.
 */
export type Authenticate = (
  token: string,
  headers: RequestHeaderMap,
) => AuthenticateResult | Promise<AuthenticateResult>

type AuthenticateResult = string | Refusal | undefined
type RequestHeaderMap = Readonly<Record<string, string | readonly string[] | undefined>>

/** A running HTTP server. */
export interface RunningHttpServer {
  /** The URL for clients: `http://127.0.0.1:<port>/mcp`. */
  readonly url: string
  readonly port: number
  /** Ends the streams, waits a limited time for calls, then closes everything. */
  readonly close: () => Promise<void>
}

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
