// The SetCallback tool: schedules messages that are delivered later, at a time or when a job ends or prints a line.

import type { Callbacks } from '../services/callbacks/callbacks.js'
import type { Said } from './callback-answers.js'
import { resultData } from './result-data.js'
import { toolsOver } from './tool.js'

export const setCallback = toolsOver<{ callbacks: Callbacks }>()({
  name: 'SetCallback',
  title: 'Be called back later',
  description: `Manage scheduled callback messages with repeats
set: message comes with a tool result every delay_seconds, repeat_count times (default 20, -1 endless), or with task_id when that background task ends or prints a line matching pattern (regex). cancel: callback_id, else all.`,
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

  async run({ action, callback_id: slot, ...given }, call, { callbacks }): Promise<Said> {
    const { answerTo } = await import('./callback-answers.js')
    return answerTo({ action, slot, given }, callbacks, call)
  },

  render: ({ words }) => words,

  meta: resultData('action', 'callback_id', 'delivery', 'inbox', 'cancelled', 'callbacks'),
})
