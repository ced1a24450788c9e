// What code that is itself loaded on demand may use of the feature `search`.

export { readSearchHealth } from './search-health.js'
export { describeNetworkProblem, formatCooldown, formatEngineReport } from './web-search-handler.js'
