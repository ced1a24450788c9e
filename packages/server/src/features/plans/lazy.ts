// What code that is itself loaded on demand may use of the feature `plans`. Imported by state.ts, by user-console, by
// `doctor` (diagnose-scripts) and by the `state` commands (transfer). Re-exports only.

export { decidePlanApproval, readOpenPlan, readPlanApproval } from './decide-plan.js'
export { createPlanApprovalTable } from './plan-approval-table.js'
export { readOpenPlanText } from './plan-file.js'
export { openPlanPolicy } from './plan-policy.js'
export { createPlanTable } from './plan-table.js'
