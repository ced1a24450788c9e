// Where a process runs, in a form that can be stored, so that others can tell whether it is still running. A process on
// another machine, or in a container or sandbox with its own pid namespace, cannot be seen from here.

import { hostname } from 'node:os'

import { isObject } from '../lib/json.js'
import { bootId, isAlive, isOwner, ourselves, pidSpace, type Owner } from './process-identity.js'

export interface Whereabouts {
  readonly owner: Owner
  readonly host: string
  /** The pid namespace in which its pid is valid. */
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

/** Whether the process is known to be dead (true) or running (false); undefined if it cannot be seen from here. */
export function isSeenGone({ owner, host, pidSpace: namespace }: Whereabouts): boolean | undefined {
  if (host !== hostname()) return undefined
  if (owner.boot !== bootId()) return true
  return namespace === pidSpace() ? !isAlive(owner) : undefined
}
