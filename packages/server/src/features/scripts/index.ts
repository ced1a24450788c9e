// What other code may use of the feature `scripts`: types, what is needed at the start, and functions that load the rest.

export { createDeferredScripts, type DeferredScripts } from './deferred-scripts.js'
export type { ScriptTools } from './script-tools.js'

export const loadScriptTools = () => import('./script-tools.js')
