// All search engines by role, in order of preference. Used by engine-selection, the search service and the command line
// (search). Data only.

import type { SearchEngine } from '../engine-kit/search-engine.js'
import { braveApi, jina, kagi, searxng, serper, tavily, you } from './account-engines.js'
import { crates, github, hackernews, mdn, npm, stackexchange } from './developer-engines.js'
import { exa, firecrawl, parallel } from './mcp-engines.js'
import { keenable, marginalia, mwmbl, wikipedia } from './open-api-engines.js'
import { arxiv, crossref, openalex } from './paper-engines.js'
import { bing, brave, duckduckgo, mojeek, startpage, yahoo } from './result-page-engines.js'

/** Used for every query, together with one vertical engine that fits. */
export const DEFAULT_ENGINES: readonly SearchEngine[] = [
  parallel,
  exa,
  firecrawl,
  keenable,
  duckduckgo,
  brave,
  mojeek,
  startpage,
  yahoo,
  wikipedia,
]

/** The first one that fits the query and is available is used. */
export const VERTICAL_ENGINES: readonly SearchEngine[] = [
  stackexchange,
  npm,
  crates,
  github,
  arxiv,
  openalex,
  crossref,
  hackernews,
  mdn,
]

/** Replace engines that are unavailable, and are added when others are slow. */
export const FALLBACK_ENGINES: readonly SearchEngine[] = [mwmbl, bing, marginalia]

/** Require an account or an own instance. */
export const ACCOUNT_ENGINES: readonly SearchEngine[] = [searxng, braveApi, tavily, kagi, serper, jina, you]

export const ALL_ENGINES: readonly SearchEngine[] = [
  ...DEFAULT_ENGINES,
  ...VERTICAL_ENGINES,
  ...FALLBACK_ENGINES,
  ...ACCOUNT_ENGINES,
]
