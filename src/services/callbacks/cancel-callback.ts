// Cancels a callback, for the model that set it or for a user of the console.

import { Failure } from '../../lib/failure.js'
import type { CallbackRow } from '../../store/state/callback-rows.js'
import type { Rows } from '../../store/state/state.js'

/** Returns the cancelled callback; throws a Failure if the slot is empty. */
export async function cancelCallback(rows: Rows, session: string, slot: number): Promise<CallbackRow> {
  const all = await rows.callbacks.all()
  const found = all.find((row) => row.session === session && row.slot === slot)
  if (!found) throw new Failure(`Error: callback slot ${slot} is not active`)
  await rows.callbacks.remove(session, slot)
  return found
}
