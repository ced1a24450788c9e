// HTTP for a server written on the library: a few options, and the same house as the program's.

import { isObject } from '../../lib/json.js'
import { osUser } from '../../platform/user.js'
import type { Server } from '../../protocol/server.js'
import { createAuthenticator, unauthorized, type Authenticator, type Caller } from './auth.js'
import { createPolicy, isLoopback, isRefusal, readCredential, type Refusal } from './gate.js'
import type { HttpExtensions } from './house.js'
import { createLimits } from './limits.js'
import { startHttpTransport } from './http-server.js'
import { EXTENSIONS } from './listener.js'

const DEFAULT_MAX_BODY = 16 * 1024 * 1024
const KEY_HEADER = 'x-api-key'

/** How `serveHttp` listens, and to whom. */
export interface HttpOptions {
  /** A loopback address unless told. */
  readonly host?: string
  /** Any free port unless told. */
  readonly port?: number
  /** Who may call: everybody on this machine, whoever has the token, or whom your function knows. */
  readonly auth?: 'none' | { readonly token: string } | Authenticate
  /** The address people use, where it is not this one. */
  readonly publicUrl?: string
  /** Other names this server goes by: `name` or `name:port`. */
  readonly allowedHosts?: readonly string[]
  /** The longest message that is read; 16 MiB unless told. */
  readonly maxBodyBytes?: number
  /** Requests a second for one user; 0: as many as they like. */
  readonly rate?: number
  /** Requests at once before `rate` counts; twice the rate unless told. */
  readonly burst?: number
  /** Requests and streams open at once for one user; 0: as many as they like. */
  readonly maxOpenPerUser?: number
  /** Connections open at once, of everybody together; 10,000 unless told. */
  readonly maxConnections?: number
}

/**
 * The name of the user who sent this token ('' for none) or these headers; everything is kept by user. Undefined turns them
 * away with 401, a refusal with what it says.
 */
export type Authenticate = (token: string, headers: Headers) => Known | Promise<Known>

type Known = string | Refusal | undefined
type Headers = Readonly<Record<string, string | readonly string[] | undefined>>

/** A server that listens. */
export interface HttpServing {
  /** Where clients connect: `http://127.0.0.1:<port>/mcp`. */
  readonly url: string
  readonly port: number
  /** Tells the streams, lets calls finish for a while, then ends everything. */
  readonly close: () => Promise<void>
}

export async function openHttp(
  server: Server,
  options: HttpOptions = {},
  extensions: HttpExtensions = EXTENSIONS,
): Promise<HttpServing> {
  const { host = '127.0.0.1', port = 0, publicUrl = '', allowedHosts = [], maxBodyBytes = DEFAULT_MAX_BODY } = options
  const { auth = 'none', rate = 0, burst = 2 * rate, maxOpenPerUser = 1000, maxConnections = 10_000 } = options
  const policy = createPolicy({ listenHost: host, publicUrl, allowedHosts })
  if (auth === 'none' && ![host, ...policy.hosts].every(isLoopback)) {
    throw new Error('without auth only this machine is served: no other host, publicUrl or allowedHosts')
  }
  if (typeof auth === 'object' && !auth.token) {
    throw new Error('http.auth.token is empty, and so nobody could come in: give it a secret')
  }
  const listener = await startHttpTransport(server, {
    extensions,
    host,
    port,
    policy,
    authenticator: typeof auth === 'function' ? knownBy(auth) : authenticatorOf(auth),
    limits: createLimits({ rate, burst, maxStreams: maxOpenPerUser }),
    maxBodyBytes,
    maxConnections,
  })
  const name = host.includes(':') ? `[${host}]` : host
  return { url: `http://${name}:${listener.port}/mcp`, port: listener.port, close: () => listener.close() }
}

function knownBy(auth: Authenticate): Authenticator {
  return {
    metadata: undefined,
    authenticate(headers) {
      const known = auth(readCredential(headers, KEY_HEADER) ?? '', headers)
      return known instanceof Promise ? known.then(admitted) : admitted(known)
    },
  }
}

/** Whatever is neither a name nor a refusal lets nobody in: a table of users also has a `__proto__`. */
function admitted(known: Known): Caller | Refusal {
  if (typeof known === 'string' && known !== '') return { user: known, via: 'token', credential: 'auth' }
  return isObject(known) && isRefusal(known) ? known : unauthorized(KEY_HEADER, 'Bearer')
}

function authenticatorOf(auth: 'none' | { readonly token: string }): Authenticator {
  return createAuthenticator({
    open: auth === 'none',
    fixedTokens: auth === 'none' ? [] : [auth.token],
    keyHeader: KEY_HEADER,
    owner: osUser(),
    tokens: undefined,
    oauth: undefined,
  })
}
