// All search engines by role, in order of preference.

import type { SearchEngine } from '../engine-kit/search-engine.js'
import { arxiv } from './arxiv.js'
import { bing } from './bing.js'
import { braveApi } from './brave-api.js'
import { brave } from './brave.js'
import { crates } from './crates.js'
import { crossref } from './crossref.js'
import { duckduckgo } from './duckduckgo.js'
import { exa } from './exa.js'
import { firecrawl } from './firecrawl.js'
import { github } from './github.js'
import { hackernews } from './hackernews.js'
import { jina } from './jina.js'
import { kagi } from './kagi.js'
import { keenable } from './keenable.js'
import { marginalia } from './marginalia.js'
import { mdn } from './mdn.js'
import { mojeek } from './mojeek.js'
import { mwmbl } from './mwmbl.js'
import { npm } from './npm.js'
import { openalex } from './openalex.js'
import { parallel } from './parallel.js'
import { searxng } from './searxng.js'
import { serper } from './serper.js'
import { stackexchange } from './stackexchange.js'
import { startpage } from './startpage.js'
import { tavily } from './tavily.js'
import { wikipedia } from './wikipedia.js'
import { yahoo } from './yahoo.js'
import { you } from './you.js'

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
