// What other code may use of the feature `callbacks`: types, what is needed at the start, and functions that load the
// rest. Imported by tool-list.ts and state.ts, and by create-server.ts and services.ts of the app. No effects of its
// own.

export { callbackResource } from './set-callback-tool.js'
export type { CallbackService } from './callback-service.js'
export type { CallbackTable } from './callback-table.js'
export { createDeferredCallbacks, type DeferredCallbacks } from './deferred-callbacks.js'
export { setCallback } from './set-callback-tool.js'

export const loadPendingFlags = () => import('../../storage/flag-files.js')
export const loadCallbackService = () => import('./callback-service.js')
