// Tracks which paths are mount points in the running commands, which therefore cannot replace them. A path that a
// running command could replace between check and mount must not be mounted for another command.

import { isWithin } from '../../lib/is-within.js'
import type { Plan } from './mounts.js'

interface Holds {
  /** Whether the path is a mount point in every command that could otherwise change it. */
  readonly isHeld: (path: string) => boolean
  /** Registers a command that has this mount plan; the returned function removes it. */
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
