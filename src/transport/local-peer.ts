// The other end when it is on this machine and started us: the person, in a conversation as long as this process.
// Both are looked up when somebody asks: most calls do not.

import { osUser } from '../platform/user.js'
import type { Peer } from '../protocol/exchange.js'

export function localPeer(): Peer {
  let user: string | undefined
  let session: string | undefined
  return {
    get user() {
      return (user ??= osUser())
    },
    get session() {
      return (session ??= crypto.randomUUID())
    },
  }
}
