// What other code may use of the feature `tasks`: types, what is needed at the start, and functions that load the rest.

export { taskManager } from './task-manager-tool.js'
export { taskResource } from './task-resource.js'
export type { TaskService } from './task-service.js'
export type { StepRow, TaskRow, TaskTable, TaskTables } from './task-table.js'

export const loadTaskService = () => import('./task-service.js')
