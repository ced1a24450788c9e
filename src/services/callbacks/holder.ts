// Who holds a session, written so that others can tell whether they are still there.

import { parseJson } from '../../lib/json.js'
import { isWhereabouts, ourWhereabouts } from '../../platform/whereabouts.js'
import { isLost } from '../../store/server-roll.js'
import type { SessionRow } from '../../store/state/session-rows.js'

/** This process. */
export function ourHolder(): string {
  return JSON.stringify(ourWhereabouts())
}

/** Whether whoever held it will not come back to it. */
export function isGone({ holder, renewedAt }: SessionRow): boolean {
  const where = parseJson(holder)
  // What was written by nobody we know is taken from nobody.
  return !isWhereabouts(where) || isLost({ ...where, renewedAt })
}
