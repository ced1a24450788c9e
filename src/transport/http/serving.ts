// HTTP for a server written on the library: a few options, and the same house as the program's.

import { osUser } from '../../platform/user.js'
import type { Server } from '../../protocol/server.js'
import { createAuthenticator, type Authenticator } from './auth.js'
import { createPolicy, isLoopback } from './gate.js'
import { createLimits } from './limits.js'
import { listenHttp } from './listener.js'

const DEFAULT_MAX_BODY = 16 * 1024 * 1024

export interface HttpOptions {
  /** A loopback address unless told. */
  readonly host?: string
  /** Any free port unless told. */
  readonly port?: number
  /** Who may call: everybody on this machine, whoever has the token, or whom your function knows. */
  readonly auth?: 'none' | { readonly token: string } | Authenticator['authenticate']
  /** The address people use, where it is not this one. */
  readonly publicUrl?: string
  readonly allowedHosts?: readonly string[]
  readonly maxBodyBytes?: number
  /** Requests a second for one user; 0: as many as they like. */
  readonly rate?: number
  readonly burst?: number
  /** Requests and streams open at once for one user; 0: as many as they like. */
  readonly maxOpenPerUser?: number
  readonly maxConnections?: number
}

export interface HttpServing {
  readonly url: string
  readonly port: number
  /** Tells the streams, lets calls finish for a while, then ends everything. */
  close(): Promise<void>
}

export async function openHttp(server: Server, options: HttpOptions = {}): Promise<HttpServing> {
  const { host = '127.0.0.1', port = 0, publicUrl = '', allowedHosts = [], maxBodyBytes = DEFAULT_MAX_BODY } = options
  const { auth = 'none', rate = 0, burst = 2 * rate, maxOpenPerUser = 1000, maxConnections = 10_000 } = options
  const policy = createPolicy({ listenHost: host, publicUrl, allowedHosts })
  if (auth === 'none' && ![host, ...policy.hosts].every(isLoopback)) {
    throw new Error('without auth only this machine is served: no other host, publicUrl or allowedHosts')
  }
  const listener = await listenHttp(server, {
    host,
    port,
    policy,
    authenticator: typeof auth === 'function' ? { authenticate: auth, metadata: undefined } : authenticatorOf(auth),
    limits: createLimits({ rate, burst, maxStreams: maxOpenPerUser }),
    maxBodyBytes,
    maxConnections,
  })
  const name = host.includes(':') ? `[${host}]` : host
  return { url: `http://${name}:${listener.port}/mcp`, port: listener.port, close: () => listener.close() }
}

function authenticatorOf(auth: 'none' | { readonly token: string }): Authenticator {
  return createAuthenticator({
    open: auth === 'none',
    fixedToken: auth === 'none' ? '' : auth.token,
    keyHeader: 'X-API-Key',
    owner: osUser(),
    tokens: undefined,
    oauth: undefined,
  })
}
