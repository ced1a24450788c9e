// What code that is itself loaded on demand may use of the feature `callbacks`.

export { cancelCallback } from './callback-table.js'
export { createCallbackTable } from './callback-table.js'
