// What code that is itself loaded on demand may use of the feature `tasks`. Imported by state.ts and by `state`
// (transfer). Re-exports only.

export { STEP_COLUMNS, buildSearchText, countTasks, createTaskTable, listAllSteps } from './task-table.js'
