// The eight callback slots of a session.

import { Failure } from '@scorpiox/mcp/errors'
import type { CallbackRow, CallbackTables } from './callback-table.js'

export const MAX_CALLBACK_SLOTS = 8
/** In all sessions of one user in one project. */
export const MAX_CALLBACKS = 256

export function freeCallbackSlots(all: readonly CallbackRow[], session: string): readonly number[] {
  const taken = new Set(all.filter((row) => row.session === session).map(({ slot }) => slot))
  return Array.from({ length: MAX_CALLBACK_SLOTS }, (_, slot) => slot).filter((slot) => !taken.has(slot))
}

// Cancels a callback, for the model that set it or for a user of the console.

/** Returns the cancelled callback; throws a Failure if the slot is empty. */
export async function cancelCallback(rows: CallbackTables, session: string, slot: number): Promise<CallbackRow> {
  const all = await rows.callbacks.list()
  const found = all.find((row) => row.session === session && row.slot === slot)
  if (!found) throw new Failure(`Error: callback slot ${slot} is not active`)
  await rows.callbacks.remove(session, slot)
  return found
}
