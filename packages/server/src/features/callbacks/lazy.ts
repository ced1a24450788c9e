// What code that is itself loaded on demand may use of the feature `callbacks`. Imported by state.ts and by
// user-console. Re-exports only.

export { cancelCallback } from './callback-table.js'
export { createCallbackTable } from './callback-table.js'
