// What other code may use of the feature `scripts`: types, what is needed at the start, and functions that load the
// rest. Imported by services.ts of the app. No effects of its own.

export { createDeferredScripts, type DeferredScripts } from './deferred-scripts.js'
export type { ScriptTools } from './script-tools.js'

export const loadScriptTools = () => import('./script-tools.js')
