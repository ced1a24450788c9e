// Sees what nobody tells of. Whoever watches over a shell may be killed, by its own command even; then it is missed
// twice before it counts as ended, because the news may be on its way. Where the watcher is at work, the news is only slow,
// on a busy machine by seconds. And whoever is to raise one may be stopped.

import type { Ward } from './nursling.js'
import { isAlive, isAtWork, ownerOf, type Owner } from './process-identity.js'

const LOOK_MS = 1000
const LOOKS_AT_THE_END = 2
const LOOKS_AT_THE_SLOW = 30
const LOOKS_BEFORE_IT_IS_UP = 10

/** Returns the way to stop it. */
export function keepVigil(wards: ReadonlyMap<number, Ward>, onMissing: (ward: Ward) => void): () => void {
  const seen = new WeakMap<Ward, Owner>()
  const missed = new WeakMap<Ward, number>()

  function isThere(ward: Ward): boolean {
    const owner = seen.get(ward) ?? (ward.pid === undefined ? undefined : ownerOf(ward.pid))
    if (!owner || !isAlive(owner)) return false
    seen.set(ward, owner)
    return true
  }

  function look(ward: Ward): void {
    const count = isThere(ward) ? 0 : (missed.get(ward) ?? 0) + 1
    missed.set(ward, count)
    if (count >= patienceWith(ward)) onMissing(ward)
  }

  const timer = setInterval(() => {
    for (const ward of wards.values()) if (!ward.isOver) look(ward)
  }, LOOK_MS)
  timer.unref()
  return () => clearInterval(timer)
}

function patienceWith({ pid, nurse }: Ward): number {
  if (pid === undefined) return LOOKS_BEFORE_IT_IS_UP
  return nurse !== undefined && isAtWork(nurse) ? LOOKS_AT_THE_SLOW : LOOKS_AT_THE_END
}
