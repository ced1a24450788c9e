// Declarations of the SetCallback tool and of the resource that lists active callbacks and pending messages. Registered in
// tool-list.ts. No I/O of its own.

import { defineResourceWith } from '@scorpiox/mcp/definitions/resource'
import { defineToolWith } from '@scorpiox/mcp/definitions/tool'
import type { CallbackService } from './callback-service.js'

export const setCallback = defineToolWith<{ callbacks: CallbackService }>()({
  name: 'SetCallback',
  title: 'Schedule a callback',
  description: `Manage scheduled callback messages with repeats
set: adds message to a tool result every delay_seconds, repeat_count times (default 20, -1 endless), or when job task_id ends or prints a line matching pattern (regex). cancel: callback_id, else all.`,
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  services: ['callbacks'],

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
  defaultArguments: { action: 'set' },

  load: async () => (await import('./set-callback-handler.js')).setCallbackHandler,
})

export const CALLBACKS_URI = 'scorpiox://callbacks'

/** The active callbacks and pending messages of a session as a resource. */
export const callbackResource = defineResourceWith<{ callbacks: CallbackService }>()({
  uri: CALLBACKS_URI,
  name: 'callbacks',
  description: 'Your active callbacks and pending messages.',
  mimeType: 'text/plain',
  services: ['callbacks'],
  watch: ({ callbacks }, user) => callbacks.watch(user),
  async read({ user, session }, { callbacks }) {
    const { formatCallbackList } = await import('./set-callback-handler.js')
    const caller = { user, session }
    const active = formatCallbackList(await callbacks.list(caller))
    const pending = await callbacks.listPending(caller)
    if (pending.length === 0) return active
    return [active, '', `Pending messages (${pending.length}):`, ...pending.map(({ text }) => `  ${text}`)].join('\n')
  },
})
