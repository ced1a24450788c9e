// The eight callback slots of a session.

import type { CallbackRow } from '../../store/state/callback-rows.js'

export const MAX_SLOTS = 8

export function freeSlots(all: readonly CallbackRow[], session: string): readonly number[] {
  const taken = new Set(all.filter((row) => row.session === session).map(({ slot }) => slot))
  return Array.from({ length: MAX_SLOTS }, (_, slot) => slot).filter((slot) => !taken.has(slot))
}
