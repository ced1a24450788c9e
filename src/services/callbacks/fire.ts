// Fires one callback inside a transaction: checks that it still exists, is due and belongs to a session leased by this
// process, inserts the message, and schedules the next time or removes the callback. So a time fires at most once
// across processes, and a killed process leaves no partial effect.

import type { Moment } from '../../platform/clock.js'
import type { CallbackRow } from '../../store/state/callback-rows.js'
import type { MessageRow } from '../../store/state/message-rows.js'
import type { Rows } from '../../store/state/state.js'
import { firedText } from './fired-text.js'
import { afterFiring, msLeft } from './schedule.js'

/** The job event that a callback waited for. */
export interface Happening {
  /** Short description. */
  readonly event: string
  /** Offset up to which the output was searched. */
  readonly position: number | null
  /** No further event of this kind can occur. */
  readonly isLast: boolean
}

export interface Fired {
  readonly callback: CallbackRow
  readonly message: MessageRow
  /** Remaining repeats; -1: unlimited. */
  readonly left: number
  readonly event: string
}

export interface FiringTerms {
  readonly moment: Moment
  /** This process, in the form stored in session leases. */
  readonly holder: string
  readonly happening?: Happening | undefined
}

/** Undefined: not leased by this process, or not due. */
export async function fire(rows: Rows, expected: CallbackRow, options: FiringTerms): Promise<Fired | undefined> {
  const { moment, holder, happening } = options
  const sessions = await rows.sessions.all()
  if (!sessions.some((held) => held.name === expected.session && held.holder === holder)) return undefined
  const callback = (await rows.callbacks.all()).find((row) => isSameCallback(row, expected))
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

/** Not a newer callback in the same slot. */
function isSameCallback(row: CallbackRow, { session, slot, setAt, position }: CallbackRow): boolean {
  return row.session === session && row.slot === slot && row.setAt === setAt && row.position === position
}
