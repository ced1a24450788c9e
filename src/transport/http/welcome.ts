// Re-authenticates an open connection: its token may have been revoked or expired. A 5xx of the verifier (issuer
// unreachable) does not end the connection.

import type { IncomingMessage } from 'node:http'

import type { Authenticator } from './auth.js'
import { isRefusal } from './gate.js'

export async function isWelcome(
  authenticator: Authenticator,
  { headers }: IncomingMessage,
  user: string,
): Promise<boolean> {
  const result = await authenticator.authenticate(headers)
  return isRefusal(result) ? result.status >= 500 : result.user === user
}
