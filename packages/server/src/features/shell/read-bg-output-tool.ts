// Declaration of the ReadBgOutput tool: reads the output of a job since the last read, and can wait for an event first,
// so that the model need not poll. Registered in tool-list.ts; loads its handler with the first call.

import { defineToolWith } from '@scorpiox/mcp/definitions/tool'
import type { PermissionService } from '../permissions/index.js'
import type { ShellService } from './shell-service.js'

export const DEFAULT_WAIT_MS = 30_000

export const readBgOutput = defineToolWith<{ shell: ShellService; permissions: PermissionService }>()({
  name: 'ReadBgOutput',
  title: 'Read job output',
  description: `Read new output from a background task
Types input and keys first, then waits until a wait_… condition, exit or prompt.`,
  hints: { readOnly: false, destructive: true, idempotent: false, openWorld: true },
  ui: { resourceUri: 'ui://scorpiox-code/job' },
  services: ['shell', 'permissions'],

  input: {
    type: 'object',
    properties: {
      task_id: { type: 'integer', description: 'The task ID returned by BackgroundBash' },
      input: { type: 'string', description: 'Text to type, without Enter' },
      keys: {
        type: 'array',
        items: { type: 'string' },
        description: 'After input: enter, ctrl+c, up…',
      },
      screen: { type: 'string', description: 'full, or new size: 100x30' },
      wait_for_end: { type: 'boolean' },
      wait_for_pattern: { type: 'string', description: 'Regex for new lines' },
      wait_for_quiet_ms: { type: 'integer' },
      wait_for_port: { type: 'integer', description: 'On localhost' },
      wait_ms: { type: 'integer', description: `Maximum wait (default: ${DEFAULT_WAIT_MS})` },
      pattern: { type: 'string', description: 'Only new lines matching this regex' },
      tail: { type: 'integer', description: 'Last lines, even if read' },
    },
    required: ['task_id'],
  },

  load: async () => (await import('./read-bg-output-handler.js')).readBgOutputHandler,
})
