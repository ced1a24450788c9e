// What other code may use of the feature `history`: types, what captures calls from the start, and functions that load
// the rest. Imported by services.ts of the app and the console. No effects of its own.

export type { CallHistory } from './call-history.js'
export { createDeferredCallRecorder, type DeferredCallRecorder } from './deferred-call-recorder.js'

export { createJobRecorder } from './job-recorder.js'
export type { PastJob } from './past-job-table.js'

export const loadCallHistory = () => import('./call-history.js')
export const loadCallRecorder = () => import('./open-call-recorder.js')
