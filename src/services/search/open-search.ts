// Builds the search service from settings: the selected engines, over guarded fetch, with the engine states of this
// machine.

import { join } from 'node:path'

import { stateDirOf } from '../../config/state-dir.js'
import type { Settings } from '../../config/options.js'
import type { WayOut } from '../../platform/way-out/way-out.js'
import { openEngineStates } from '../../store/engine-states.js'
import { createAskEngine } from './ask-engine.js'
import { ENGINES } from './engines.js'
import { LIMITS } from './enough.js'
import { readRoster } from './line-up.js'
import { createSearch, type Search } from './search.js'

/** Longer than any search waits: late responses are cached for the next one. */
const TIMEOUT_MS = 8000

export function openSearch(settings: Settings, guardedFetch: WayOut): Search {
  const selection = readRoster(settings)
  const states = openEngineStates(join(stateDirOf(settings), 'engines.json'))
  const queryEngine = createAskEngine({ wayOut: guardedFetch, ...selection, timeoutMs: TIMEOUT_MS })
  return createSearch({ roster: selection, engines: ENGINES, states, ask: queryEngine, limits: LIMITS })
}
