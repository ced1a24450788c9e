// The options and the handle of `serveHttp`. Refers to no types of Node.js, so that the library compiles without
// @types/node. Used by serve-options.ts and serve-http.ts, exported by index.ts. Types only.

import type { Refusal } from './host-policy.js'

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

export type AuthenticateResult = string | Refusal | undefined
type RequestHeaderMap = Readonly<Record<string, string | readonly string[] | undefined>>

/** A running HTTP server. */
export interface RunningHttpServer {
  /** The URL for clients: `http://127.0.0.1:<port>/mcp`. */
  readonly url: string
  readonly port: number
  /** Ends the streams, waits a limited time for calls, then closes everything. */
  readonly close: () => Promise<void>
}
