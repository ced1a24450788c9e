// Where a process runs, written so that others can tell whether it is still there. One on another machine, or in a
// container or sandbox with process numbers of its own, cannot be seen from here.

import { hostname } from 'node:os'

import { isObject } from '../lib/json.js'
import { bootId, isAlive, isOwner, ourselves, pidSpace, type Owner } from './process-identity.js'

export interface Whereabouts {
  readonly owner: Owner
  readonly host: string
  /** Where its process number means something. */
  readonly pidSpace: string
}

export function whereaboutsOf(owner: Owner): Whereabouts {
  return { owner, host: hostname(), pidSpace: pidSpace() }
}

export function ourWhereabouts(): Whereabouts {
  return whereaboutsOf(ourselves())
}

export function isWhereabouts(value: unknown): value is Whereabouts {
  if (!isObject(value)) return false
  return isOwner(value.owner) && typeof value.host === 'string' && typeof value.pidSpace === 'string'
}

/** Whether it is known to be gone or known to be there; undefined where it cannot be seen. */
export function isSeenGone({ owner, host, pidSpace: space }: Whereabouts): boolean | undefined {
  if (host !== hostname()) return undefined
  if (owner.boot !== bootId()) return true
  return space === pidSpace() ? !isAlive(owner) : undefined
}
