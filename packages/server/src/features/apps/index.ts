// What other code may use of the feature `apps`: the views of MCP Apps as resources, and a function that loads the files.
// Imported by tool-list.ts and services.ts of the app. No effects of its own.

export type { StyleMarks, ViewFiles } from './view-files.js'
export { imageView, jobView, planView, questionView, taskView } from './view-resources.js'

export const loadViewFiles = () => import('./view-files.js')
