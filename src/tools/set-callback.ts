// Sets, lists and cancels messages that come back later: at a time, or when a background task ends or prints a line.

import { Failure } from '../lib/failure.js'
import type { FromSchema } from '../lib/json-schema/type.js'
import type { Callbacks } from '../services/callbacks/callbacks.js'
import type { Given } from '../services/callbacks/wish.js'
import type { Call } from './call.js'
import { toolsOver } from './tool.js'
import { CALLBACKS_OUTPUT, cancelledWords, fieldsOf, listWords, scheduledWords, type Route } from './words/callback.js'

export const setCallback = toolsOver<{ callbacks: Callbacks }>()({
  name: 'SetCallback',
  title: 'Be called back later',
  description: `Manage scheduled callback messages with repeats
set: message comes back every delay_seconds, repeat_count times (default 20; -1 for ever, 1 once), also after a restart; with task_id, not a delay, when that background task ends, or prints a line that matches the regex pattern. cancel: callback_id, or all without it. It comes at the front of the next tool result, or is pushed if the client takes that.`,
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  needs: ['callbacks'],

  input: {
    type: 'object',
    properties: {
      action: { type: 'string', description: 'Action: set, list, cancel' },
      message: { type: 'string', description: 'Callback message' },
      delay_seconds: { type: 'integer', description: 'Seconds to wait (1-3600)' },
      repeat_count: { type: 'integer', description: 'Times to fire before cancel' },
      callback_id: { type: 'integer', description: 'Callback slot ID' },
      task_id: { type: 'integer' },
      pattern: { type: 'string' },
    },
    required: ['action'],
  },
  assumed: { action: 'set' },

  output: CALLBACKS_OUTPUT,

  run({ action, callback_id: slot, ...given }, { callbacks }, call) {
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
  },

  render: ({ words }) => words,
})

type Said = FromSchema<typeof CALLBACKS_OUTPUT> & { readonly words: string }

const NOTHING = { callback_id: null, delivery: null, inbox: null, cancelled: 0, callbacks: [] } as const

async function set(callbacks: Callbacks, given: Given, { user, session, can }: Call): Promise<Said> {
  const who = { user, session }
  const entry = await callbacks.set(who, given)
  const route: Route = { delivery: can.push ? 'channel' : 'result', inbox: callbacks.inboxOf(who) ?? null }
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
