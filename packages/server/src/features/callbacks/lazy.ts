// What code that is itself loaded on demand may use of the feature `callbacks`.

export { cancelCallback } from './callback-slots.js'
export { createCallbackTable } from './callback-table.js'
