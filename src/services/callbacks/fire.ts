// Fires one callback, within a transaction: it is looked whether it is still there, still due and still ours; then it
// becomes a message that waits and is armed anew, or is gone. So two processes never fire one time twice, and a process
// that is killed has fired it whole or not at all.

import type { Moment } from '../../platform/clock.js'
import type { CallbackRow } from '../../store/state/callback-rows.js'
import type { MessageRow } from '../../store/state/message-rows.js'
import type { Rows } from '../../store/state/state.js'
import { firedText } from './fired-text.js'
import { afterFiring, msLeft } from './schedule.js'

/** What a callback waited for that waits for no time. */
export interface Happening {
  /** In a few words. */
  readonly event: string
  /** How far the output has been looked at. */
  readonly position: number | null
  /** Nothing of the kind can happen again. */
  readonly isLast: boolean
}

export interface Fired {
  readonly callback: CallbackRow
  readonly message: MessageRow
  /** Times it will fire again; -1: for ever. */
  readonly left: number
  readonly event: string
}

export interface FiringTerms {
  readonly moment: Moment
  /** Who we are, as those who hold sessions say it. */
  readonly holder: string
  readonly happening?: Happening | undefined
}

/** Undefined: it was not ours to fire, or is not due. */
export async function fire(rows: Rows, wanted: CallbackRow, terms: FiringTerms): Promise<Fired | undefined> {
  const { moment, holder, happening } = terms
  const sessions = await rows.sessions.all()
  if (!sessions.some((held) => held.name === wanted.session && held.holder === holder)) return undefined
  const callback = (await rows.callbacks.all()).find((row) => isSame(row, wanted))
  if (!callback || (happening ? callback.fireAt !== null : msLeft(callback, moment) > 0)) return undefined
  const { session, slot } = callback
  const next = happening?.isLast === true ? undefined : afterFiring(callback, moment)
  if (next) await rows.callbacks.put(happening ? { ...next, position: happening.position } : next)
  else await rows.callbacks.remove(session, slot)
  const left = next?.repeatsLeft ?? 0
  const event = happening?.event ?? ''
  const text = firedText(callback, left, new Date(moment.calendar), event)
  const message = await rows.messages.insert({ session, kind: 'callback', text, createdAt: moment.calendar })
  return { callback, message, left, event }
}

/** Not another one in the same slot. */
function isSame(row: CallbackRow, { session, slot, setAt, position }: CallbackRow): boolean {
  return row.session === session && row.slot === slot && row.setAt === setAt && row.position === position
}
