// The caller of a local transport: the OS user, with one session id per process. Both are determined on first use,
// because most calls do not need them.

import type { Caller } from '../definitions/caller.js'
import { getOsUser } from '../os-user.js'

export function createLocalCaller(): Caller {
  return {
    get user() {
      return keepValue(this, 'user', getOsUser())
    },
    get session() {
      return keepValue(this, 'session', crypto.randomUUID())
    },
  }
}

/** Replaces a getter by its value. */
function keepValue(caller: Caller, name: keyof Caller, value: string): string {
  Object.defineProperty(caller, name, { value, enumerable: true })
  return value
}
