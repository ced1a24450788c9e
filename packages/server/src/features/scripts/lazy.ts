// What code that is itself loaded on demand may use of the feature `scripts`.

export { openScriptIndex } from './script-tools.js'
