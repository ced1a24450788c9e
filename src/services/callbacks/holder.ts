// Identifies the owner of a lease such that other processes can tell whether it still runs.

import { parseJson } from '../../lib/json.js'
import { isWhereabouts, ourWhereabouts } from '../../platform/whereabouts.js'
import { isLost } from '../../store/server-roll.js'
import type { SessionRow } from '../../store/state/session-rows.js'

/** The identifier of this process. */
export function ourHolder(): string {
  return JSON.stringify(ourWhereabouts())
}

/** Whether the owner of the lease has exited. */
export function isGone({ holder, renewedAt }: SessionRow): boolean {
  const location = parseJson(holder)
  // An identifier that cannot be parsed belongs to no running process.
  return !isWhereabouts(location) || isLost({ ...location, renewedAt })
}
