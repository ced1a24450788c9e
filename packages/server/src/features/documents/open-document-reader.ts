// Creates the service behind ReadDocs from the settings.

import type { Log } from '@scorpiox/mcp/log'
import { openBrowserPool } from '../../browser/browser-pool.js'
import type { Config } from '../../config/load-config.js'
import type { GuardedFetch } from '../../guarded-fetch/guarded-fetch.js'
import type { PatternMatcher } from '../../patterns/pattern-matcher.js'
import { createDocumentReader, type DocumentReader } from './document-reader.js'
import { openExtractor } from './extract/extractor.js'
import { createPageFetcher, USER_AGENT_HEADER } from './page-fetcher.js'
import { createRobotsPolicy } from './robots-policy.js'

export interface OpenDocumentReaderDeps {
  readonly config: Config
  readonly log: Log
  readonly guardedFetch: GuardedFetch
  readonly patterns: () => Promise<PatternMatcher>
}

export function openDocumentReader({ config, log, guardedFetch, patterns }: OpenDocumentReaderDeps): DocumentReader {
  const { READDOCS_MAX_CHARS: maxChars, READDOCS_ROBOTS: asksRobots } = config.settings
  const robots = asksRobots ? createRobotsPolicy(guardedFetch, USER_AGENT_HEADER) : undefined
  const extractor = openExtractor({ partsDir: config.partsDir })
  return createDocumentReader({
    fetchPage: createPageFetcher(guardedFetch, robots),
    extractor,
    browser: openBrowserPool({ config, guardedFetch, log }),
    patterns,
    maxChars,
  })
}
