// What other code may use of the feature `plans`: types, what is needed at the start, and functions that load the rest.
// Imported by tool-list.ts, state.ts, callback-table, database-view of the console, and services.ts and `state` of the
// app. No effects of its own.

export { planMode } from './plan-mode-tool.js'
export { planResource } from './plan-resource.js'
export { planViewData } from './plan-view.js'
export type { PlanApprovalTable } from './plan-approval-table.js'
export type { PlanService } from './plan-service.js'
export type { PlanRow, PlanTable, PlanVersion } from './plan-table.js'

export const loadPlanPolicy = () => import('./plan-policy.js')
export const loadLateDecisions = () => import('./decide-plan.js')
export const loadPlanService = () => import('./plan-service.js')
