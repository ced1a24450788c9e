// Who holds a session, written so that others can tell whether they are still there.

import { hostname } from 'node:os'

import { isObject } from '../../lib/json.js'
import { isOwner, ourselves, pidSpace } from '../../platform/process-identity.js'
import { isLost } from '../../store/server-roll.js'
import type { SessionRow } from '../../store/state/session-rows.js'

/** This process. */
export function ourHolder(): string {
  return JSON.stringify({ owner: ourselves(), host: hostname(), pidSpace: pidSpace() })
}

/** Whether whoever held it will not come back to it. */
export function isGone({ holder, renewedAt }: SessionRow): boolean {
  const { owner, host, pidSpace: space } = read(holder)
  // What was written by nobody we know is taken from nobody.
  if (!isOwner(owner) || typeof host !== 'string' || typeof space !== 'string') return true
  return isLost({ owner, host, pidSpace: space, renewedAt })
}

function read(holder: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(holder)
    return isObject(value) ? { ...value } : {}
  } catch {
    return {}
  }
}
