// Puts the search together: the engines that the settings allow, over the guarded way out, with what is known of each on
// this machine.

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

/** Longer than anybody waits: what comes late is there for the next. */
const TIMEOUT_MS = 8000

export function openSearch(settings: Settings, wayOut: WayOut): Search {
  const roster = readRoster(settings)
  const states = openEngineStates(join(stateDirOf(settings), 'engines.json'))
  const ask = createAskEngine({ wayOut, ...roster, timeoutMs: TIMEOUT_MS })
  return createSearch({ roster, engines: ENGINES, states, ask, limits: LIMITS })
}
