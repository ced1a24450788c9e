// What is known of an authenticated caller besides the name: the scopes and claims of the credential. They belong to the
// request, not to the session. Returned by `http.auth`, read by tools as `call.auth`. Types only.

import type { JsonObject } from '../json/json.js'

/** The authentication of a request. Over stdio and without `http.auth` there is none. */
export interface AuthContext<Claims = JsonObject> {
  /** The user, such as the subject of a token. All data is kept per user. */
  readonly user: string
  /** The scopes that the credential grants. A scope that implies others must be listed with them. */
  readonly scopes: readonly string[]
  /** What else is known of the user, such as a tenant or the claims of a token. */
  readonly claims: Claims
}
