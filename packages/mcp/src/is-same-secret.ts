// Compares a secret with one that was received, so that the time does not depend on how much of it is right: digests have
// equal length. Used by the authenticator, `ui` and the socket of the console. Pure.

import { hash, timingSafeEqual } from 'node:crypto'

export function isSameSecret(received: string, secret: string): boolean {
  return timingSafeEqual(hash('sha256', received, 'buffer'), hash('sha256', secret, 'buffer'))
}
