// The options and the handle of `serveHttp`. Refers to no types of Node.js, so that the library compiles without
// @types/node. Used by serve-options.ts and serve-http.ts, exported by index.ts. Types only.

import type { AuthContext } from '../definitions/auth-context.js'
import type { JsonObject } from '../json/json.js'
import type { Refusal } from './host-policy.js'

/** Options of `serveHttp`. */
export interface HttpOptions<Claims = unknown> {
  /** The listen address; 127.0.0.1 by default. */
  readonly host?: string
  /** The port; any free port by default. */
  readonly port?: number
  /** Authentication: none, which allows this machine only, a token with its scopes, or your own function. */
  readonly auth?: 'none' | { readonly token: string; readonly scopes?: readonly string[] } | Authenticate<Claims>
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
  /** Further paths beside /mcp. */
  readonly routes?: readonly HttpRoute<Claims>[]
}

/** A path of your own beside /mcp. */
export interface HttpRoute<Claims = JsonObject> {
  /** GET also serves HEAD. */
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** The exact path, or everything below a path that ends with `/*`. */
  readonly path: string
  /** `required`: the same authentication as for /mcp, the default. `none`: the route is public. */
  readonly auth?: 'required' | 'none'
  /** The largest request body; that of the server by default. */
  readonly maxBodyBytes?: number
  /** Answers a request. An error becomes a 500 without details. `request.signal` aborts when the client disconnects. */
  handle(request: Request, context: RouteContext<Claims>): Response | Promise<Response>
}

/** What a route knows besides the request. */
export interface RouteContext<Claims = JsonObject> {
  /** The user; undefined on a public route. */
  readonly user: string | undefined
  /** The authentication of the request; undefined on a public route and without `auth`. */
  readonly auth: AuthContext<Claims> | undefined
}

/**
 * Returns the user name for a token ('' for none) and headers, alone or with scopes and claims; all data is kept per
 * user. Undefined refuses the request with 401, a refusal with its own status.
 */
export type Authenticate<Claims = JsonObject> = (
  token: string,
  headers: RequestHeaderMap,
) => AuthenticateResult<Claims> | Promise<AuthenticateResult<Claims>>

export type AuthenticateResult<Claims> = string | AuthContext<Claims> | Refusal | undefined
type RequestHeaderMap = Readonly<Record<string, string | readonly string[] | undefined>>

/** A running HTTP server. */
export interface RunningHttpServer {
  /** The URL for clients: `http://127.0.0.1:<port>/mcp`. */
  readonly url: string
  readonly port: number
  /** Ends the streams, waits a limited time for calls, then closes everything. */
  readonly close: () => Promise<void>
}
