// What code that is itself loaded on demand may use of the feature `tasks`.

export { STEP_COLUMNS, buildSearchText, countTasks, createTaskTable, listAllSteps } from './task-table.js'
