// What the view of PlanMode (MCP Apps) reads: the plan, what changed since the draft before, and whether it waits for
// approval. The view only shows it: the user decides in a form of the client, on the console page or in the inbox. Registered
// in tool-list.ts. Reads the database through the plan service.

import { defineResourceWith } from '@scorpiox/mcp/definitions/resource'
import type { PlanService } from './plan-service.js'

export const planViewData = defineResourceWith<{ plans: PlanService }>()({
  uri: 'ui://scorpiox-code/data/plan',
  name: 'plan and changes',
  mimeType: 'application/json',
  services: ['plans'],
  read: async (caller, { plans }) => JSON.stringify(await plans.readForView(caller)),
})
