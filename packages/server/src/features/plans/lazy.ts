// What code that is itself loaded on demand may use of the feature `plans`.

export { readOpenPlanText } from './plan-file.js'
export { createOpenPlanLookup, openPlanLookupDeps } from './plan-lookup.js'
export { createPlanPolicy } from './plan-policy.js'
export { createPlanTable } from './plan-table.js'
