// The SetCallback tool: schedules messages that are delivered later, at a time or when a job ends or prints a line.

import { defineToolWith } from '@scorpiox/mcp/definitions/tool'
import type { CallbackService } from './callback-service.js'

export const setCallback = defineToolWith<{ callbacks: CallbackService }>()({
  name: 'SetCallback',
  title: 'Be called back later',
  description: `Manage scheduled callback messages with repeats
set: message comes with a tool result every delay_seconds, repeat_count times (default 20, -1 endless), or with task_id when that background task ends or prints a line matching pattern (regex). cancel: callback_id, else all.`,
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
