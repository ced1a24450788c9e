// Runs SetCallback and formats its results. Loaded by the first call. The documented sentences stay word for word.

import { Failure } from '../lib/failure.js'
import type { Callbacks } from '../services/callbacks/callbacks.js'
import type { Given } from '../services/callbacks/wish.js'
import type { Call } from './call.js'
import { cancelledWords, fieldsOf, listWords, scheduledWords, type Route } from './words/callback.js'

export interface Said {
  readonly action: 'set' | 'list' | 'cancel'
  readonly callback_id: number | null
  readonly delivery: Route['delivery'] | null
  readonly inbox: string | null
  readonly cancelled: number
  readonly callbacks: readonly ReturnType<typeof fieldsOf>[]
  readonly words: string
}

interface SetCallbackAction {
  readonly action: string
  readonly slot: number | undefined
  readonly given: Given
}

export function answerTo({ action, slot, given }: SetCallbackAction, callbacks: Callbacks, call: Call): Promise<Said> {
  switch (action.trim().toLowerCase()) {
    case 'set':
      return set(callbacks, given, call)
    case 'list':
      return list(callbacks, call)
    case 'cancel':
      return cancel(callbacks, slot, call)
    default:
      throw new Failure(`Error: unknown action ${JSON.stringify(action.slice(0, 40))}. Valid: set, list, cancel.`)
  }
}

const NOTHING = { callback_id: null, delivery: null, inbox: null, cancelled: 0, callbacks: [] } as const

async function set(callbacks: Callbacks, given: Given, { user, session, can }: Call): Promise<Said> {
  const caller = { user, session }
  const entry = await callbacks.set(caller, given)
  const route: Route = { delivery: can.push ? 'channel' : 'result', inbox: callbacks.inboxOf(caller) ?? null }
  const callback_id = entry.callback.slot
  return {
    ...NOTHING,
    ...route,
    action: 'set',
    callback_id,
    callbacks: [fieldsOf(entry)],
    words: scheduledWords(entry, route),
  }
}

async function list(callbacks: Callbacks, { user, session }: Call): Promise<Said> {
  const entries = await callbacks.list({ user, session })
  return { ...NOTHING, action: 'list', callbacks: entries.map(fieldsOf), words: listWords(entries) }
}

async function cancel(callbacks: Callbacks, slot: number | undefined, { user, session }: Call): Promise<Said> {
  const cancelled = await callbacks.cancel({ user, session }, slot)
  const words = cancelledWords(cancelled, slot)
  return { ...NOTHING, action: 'cancel', callback_id: slot ?? null, cancelled: cancelled.length, words }
}
