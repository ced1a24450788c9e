// All search engines by role, in order of preference.

import type { Engine } from './engine.js'
import { arxiv } from './engines/arxiv.js'
import { bing } from './engines/bing.js'
import { braveApi } from './engines/brave-api.js'
import { brave } from './engines/brave.js'
import { crates } from './engines/crates.js'
import { crossref } from './engines/crossref.js'
import { duckduckgo } from './engines/duckduckgo.js'
import { exa } from './engines/exa.js'
import { firecrawl } from './engines/firecrawl.js'
import { github } from './engines/github.js'
import { hackernews } from './engines/hackernews.js'
import { jina } from './engines/jina.js'
import { kagi } from './engines/kagi.js'
import { keenable } from './engines/keenable.js'
import { marginalia } from './engines/marginalia.js'
import { mdn } from './engines/mdn.js'
import { mojeek } from './engines/mojeek.js'
import { mwmbl } from './engines/mwmbl.js'
import { npm } from './engines/npm.js'
import { openalex } from './engines/openalex.js'
import { parallel } from './engines/parallel.js'
import { searxng } from './engines/searxng.js'
import { serper } from './engines/serper.js'
import { stackexchange } from './engines/stackexchange.js'
import { startpage } from './engines/startpage.js'
import { tavily } from './engines/tavily.js'
import { wikipedia } from './engines/wikipedia.js'
import { yahoo } from './engines/yahoo.js'
import { you } from './engines/you.js'

/** Used for every query, together with one vertical engine that fits. */
export const USUAL: readonly Engine[] = [
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
export const VERTICALS: readonly Engine[] = [
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
export const SPARES: readonly Engine[] = [mwmbl, bing, marginalia]

/** Require an account or an own instance. */
export const OWN: readonly Engine[] = [searxng, braveApi, tavily, kagi, serper, jina, you]

export const ENGINES: readonly Engine[] = [...USUAL, ...VERTICALS, ...SPARES, ...OWN]
