// What other code may use of the feature `tasks`: types, what is needed at the start, and functions that load the rest.
// Imported by tool-list.ts, state.ts, plans, database-view of the console, and services.ts and `state` of the app. No
// effects of its own.

export { taskManager } from './task-manager-tool.js'
export { taskResource } from './task-manager-tool.js'
export { changeTaskInView, taskViewData } from './task-view.js'
export type { TaskService } from './task-service.js'
export type { StepRow, TaskRow, TaskTable, TaskTables } from './task-table.js'

export const loadTaskService = () => import('./task-service.js')
