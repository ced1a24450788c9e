// The caller of a local transport: the OS user, with one session id per process. Both are determined on first use,
// because most calls do not need them.

import { osUser } from '../platform/user.js'
import type { Who } from '../services/who.js'

export function localPeer(): Who {
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
