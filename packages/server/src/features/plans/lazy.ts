// What code that is itself loaded on demand may use of the feature `plans`.

export { readOpenPlanText } from './plan-file.js'
export { openPlanPolicy } from './plan-policy.js'
export { createPlanTable } from './plan-table.js'
