// The user and session of a call, and the callers of local and of stateless connections. All stored data is keyed by
// user, session or both. Used by every transport and every service. Reads the name of the OS user.

import { getOsUser } from '../os.js'

/** The user and session of a call. */
export interface Caller {
  readonly user: string
  readonly session: string
}

/** The caller of a request without a session: all such requests of a user share one. */
export function statelessCaller(user: string): Caller {
  return { user, session: `user:${user}` }
}

/**
 * The caller of a local transport: the OS user, with one session id per process. Both are determined on first use,
 * because most calls do not need them.
 */
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
