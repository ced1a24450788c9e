// The PlanMode tool: enters and leaves plan mode and reports its status. In plan mode commands can only read.
// Registered in tool-list.ts; loads its handler with the first call. No I/O of its own.

import { defineToolWith } from '@scorpiox/mcp/definitions/tool'
import type { PlanService } from './plan-service.js'

export const planMode = defineToolWith<{ plans: PlanService }>()({
  name: 'PlanMode',
  title: 'Plan before acting',
  description: `Manage plan mode for complex tasks
enter: commands are read-only until exit or reset is approved. exit: submits plan (markdown), plan_file, or plan.md in the session's writable folder; its checklist (- [ ]) becomes a task. status: plan saves a draft. reset: discards it.`,
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  ui: { resourceUri: 'ui://scorpiox-code/plan' },
  services: ['plans'],

  input: {
    type: 'object',
    properties: {
      action: { type: 'string', description: 'Action: enter, exit, status, json, reset' },
      goal: { type: 'string', description: 'Goal/description' },
      plan_file: { type: 'string', description: 'Path to markdown plan file' },
      plan: { type: 'string' },
      create_task: { type: 'boolean', description: 'On exit (default: true)' },
    },
    required: ['action'],
  },

  load: async () => (await import('./plan-mode-handler.js')).planModeHandler,
})
