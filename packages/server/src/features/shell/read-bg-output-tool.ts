// Declaration of the ReadBgOutput tool: reads the output of a job since the last read, and can wait for an event first, so
// that the model need not poll. Registered in tool-list.ts.

import { defineToolWith } from '@scorpiox/mcp/definitions/tool'
import type { ShellService } from './shell-service.js'

export const DEFAULT_WAIT_MS = 30_000
const MAX_WAIT_MS = 600_000

export const readBgOutput = defineToolWith<{ shell: ShellService }>()({
  name: 'ReadBgOutput',
  title: 'Read background output',
  description: `Read new output from a background task
What it printed since the last read. With wait_… it waits first, for one of them or the end.`,
  hints: { readOnly: true, destructive: false, idempotent: false, openWorld: false },
  services: ['shell'],

  input: {
    type: 'object',
    properties: {
      task_id: { type: 'integer', description: 'The task ID returned by BackgroundBash' },
      wait_for_end: { type: 'boolean' },
      wait_for_pattern: { type: 'string', description: 'Regex for a new line' },
      wait_for_quiet_ms: { type: 'integer', minimum: 1, maximum: MAX_WAIT_MS },
      wait_for_port: {
        type: 'integer',
        minimum: 1,
        maximum: 65_535,
        description: 'On localhost',
      },
      wait_ms: {
        type: 'integer',
        minimum: 0,
        maximum: MAX_WAIT_MS,
        description: `Longest wait (default: ${DEFAULT_WAIT_MS})`,
      },
      pattern: { type: 'string', description: 'Only new lines matching this regex' },
      tail: {
        type: 'integer',
        minimum: 1,
        description: 'The last lines, also ones read before',
      },
    },
    required: ['task_id'],
  },

  load: async () => (await import('./read-bg-output-handler.js')).readBgOutputHandler,
})
