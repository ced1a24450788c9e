// What code that is itself loaded on demand may use of the feature `search`. Imported by `doctor`
// (diagnose-environment) and by `search --doctor` (search-command). Re-exports only.

export { readSearchHealth } from './search-health.js'
export { describeNetworkProblem, formatCooldown, formatEngineReport } from './web-search-handler.js'
