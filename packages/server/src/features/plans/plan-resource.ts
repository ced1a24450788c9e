// The plan of a user as a resource: whether plan mode is on, and the text of the plan. Registered in tool-list.ts;
// reads the database through the plan service.

import { defineResourceWith } from '@scorpiox/mcp/definitions/resource'
import type { PlanService } from './plan-service.js'

export const PLAN_URI = 'scorpiox://plan'

export const planResource = defineResourceWith<{ plans: PlanService }>()({
  uri: PLAN_URI,
  name: 'plan',
  description: 'Your plan in this project: the status of plan mode, and the open or last approved plan.',
  mimeType: 'text/markdown',
  services: ['plans'],
  watch: ({ plans }, user) => plans.watch(user),
  async read(caller, { plans }) {
    const [status, { formatPlanStatus }] = await Promise.all([
      plans.getStatus(caller),
      import('./plan-mode-handler.js'),
    ])
    const statusText = formatPlanStatus(status, undefined)
    const text = await plans.readText(caller)
    return text === undefined ? statusText : `${statusText}\n\n${text}`
  },
})
