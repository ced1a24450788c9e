// Creates the service behind ReadDocs from the settings.

import type { Config } from '../../config/load.js'
import type { Log } from '../../platform/log.js'
import type { WayOut } from '../../platform/way-out/way-out.js'
import { createAsk, WHO_WE_ARE } from './ask.js'
import { openExtractor } from './extract/open-extractor.js'
import { openBrowser } from './open-browser.js'
import { createDocuments, type Documents } from './documents.js'
import { createRobots } from './robots.js'

export interface Surroundings {
  readonly config: Config
  readonly log: Log
  readonly wayOut: WayOut
}

export function openDocuments({ config, log, wayOut }: Surroundings): Documents {
  const { READDOCS_MAX_CHARS: maxChars, READDOCS_ROBOTS: asksRobots } = config.settings
  const robots = asksRobots ? createRobots(wayOut, WHO_WE_ARE) : undefined
  const extractor = openExtractor({ partsDir: config.partsDir })
  return createDocuments({
    ask: createAsk(wayOut, robots),
    extractor,
    browser: openBrowser({ config, wayOut, log }),
    maxChars,
  })
}
