// What other code may use of the feature `search`: types, what is needed at the start, and functions that load the
// rest. Imported by tool-list.ts, and by services.ts and the `search` command of the app. No effects of its own.

export type { SearchEngine } from './engine-kit/search-engine.js'
export type { EngineSelection } from './engine-selection.js'
export type { EngineReport, SearchService } from './search-service.js'
export { webSearch } from './web-search-tool.js'

export const loadSearchService = () => import('./open-search-service.js')
export const loadEngineSelection = () => import('./engine-selection.js')
export const loadEngines = () => import('./engines/index.js')
export const loadSearchHealth = () => import('./search-health.js')
