// The caller of a local transport: the OS user, with one session id per process. Both are determined on first use,
// because most calls do not need them.

import type { Caller } from '../definitions/caller.js'
import { getOsUser } from '../os-user.js'

export function createLocalCaller(): Caller {
  let user: string | undefined
  let session: string | undefined
  return {
    get user() {
      return (user ??= getOsUser())
    },
    get session() {
      return (session ??= crypto.randomUUID())
    },
  }
}
