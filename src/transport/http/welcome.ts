// Whether whoever was let in a while ago still would be: a token may have been revoked, or have expired, since a
// connection was opened. An issuer that is away for a moment revokes nothing.

import type { IncomingMessage } from 'node:http'

import type { Authenticator } from './auth.js'
import { isRefusal } from './gate.js'

export async function isWelcome(
  authenticator: Authenticator,
  { headers }: IncomingMessage,
  user: string,
): Promise<boolean> {
  const found = await authenticator.authenticate(headers)
  return isRefusal(found) ? found.status >= 500 : found.user === user
}
