// What other code may use of the feature `callbacks`: types, what is needed at the start, and functions that load the rest.

export { callbackResource } from './callback-resource.js'
export type { CallbackService } from './callback-service.js'
export type { CallbackTable } from './callback-table.js'
export { createDeferredCallbacks, type DeferredCallbacks } from './deferred-callbacks.js'
export { setCallback } from './set-callback-tool.js'

export const loadPendingFlags = () => import('./pending-flags.js')
export const loadCallbackService = () => import('./callback-service.js')
