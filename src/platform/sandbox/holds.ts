// Which paths the commands that run find mounted, and therefore cannot put anything else at. A path that one of them
// could change in the moment between looking and mounting must not be mounted for another.

import { isWithin } from '../../lib/is-within.js'
import type { Plan } from './mounts.js'

export interface Holds {
  /** Whether the path is a mount point for every command that could otherwise change it. */
  readonly isHeld: (path: string) => boolean
  /** From now on a command may run that sees this plan; the function that comes back says that it is gone. */
  add(writable: readonly string[], plan: Plan): () => void
}

export function createHolds(): Holds {
  const running = new Set<{ readonly writable: readonly string[]; readonly plan: Plan }>()
  return {
    isHeld: (path) =>
      [...running].every(({ writable, plan }) => plan.has(path) || !writable.some((root) => isWithin(path, root))),
    add(writable, plan) {
      const entry = { writable, plan }
      running.add(entry)
      return () => void running.delete(entry)
    },
  }
}
