// What code that is itself loaded on demand may use of the feature `tasks`. Imported by state.ts and by `state`
// (transfer). Re-exports only.

export { editTask } from './edit-task.js'
export { listTaskPage } from './list-tasks.js'
export { indexTasks, maintainTaskIndex } from './index-tasks.js'
export { countRows } from './task-counts.js'
export { createTaskTable, listAllSteps, STEP_COLUMNS } from './task-table.js'
export { removeScopeFromIndex } from './text-index.js'
