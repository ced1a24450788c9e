// Builds the search service from settings: the selected engines, over guarded fetch, with the engine states of this
// machine. Called by services.ts and `search` of the app. Sends no request.

import { join } from 'node:path'

import type { Settings } from '../../config/options.js'
import { getStateDir } from '../../config/paths.js'
import type { GuardedFetch } from '../../guarded-fetch/guarded-fetch.js'
import { createEngineClient } from './engine-client.js'
import { readEngineSelection } from './engine-selection.js'
import { openEngineStateFile } from './engine-state-file.js'
import { ALL_ENGINES } from './engines/index.js'
import { createSearchService, type SearchService } from './search-service.js'
import { DEFAULT_QUORUM_LIMITS } from './wait-for-quorum.js'

/** Longer than any search waits: late responses are cached for the next one. */
const TIMEOUT_MS = 8000

export function openSearchService(settings: Settings, guardedFetch: GuardedFetch): SearchService {
  const selection = readEngineSelection(settings)
  const states = openEngineStateFile(join(getStateDir(settings), 'engines.json'))
  const queryEngine = createEngineClient({ guardedFetch, ...selection, timeoutMs: TIMEOUT_MS })
  return createSearchService({ selection, engines: ALL_ENGINES, states, queryEngine, limits: DEFAULT_QUORUM_LIMITS })
}
