// What code that is itself loaded on demand may use of the feature `scripts`. Imported by `doctor` (diagnose-scripts).
// Re-exports only.

export { openScriptIndex } from './script-tools.js'
