// Ranks pages by reciprocal rank fusion per index family: a family contributes the best score of its engines once. Lists
// that agree with no other family get low trust, and the number of first results per host is limited. Used by
// search-service. Pure.

import { canonicalUrl } from './canonical-url.js'
import { type EngineHits, type MergedPage, mergeHits } from './merge-hits.js'
import { stemmedWords } from './query-terms.js'
import type { SearchQuery } from './query.js'
import { findRelevanceProblem, queryCoverage, type RelevanceProblem } from './relevance.js'

const RANK_OFFSET = 60
const LOW_TRUST = 0.3
const LOW_COVERAGE = 0.5
/** Factor of the score of a page that contains no query term. */
const MIN_COVERAGE_FACTOR = 0.6
/** Less than the difference between two ranks. */
const BOOST = 0.0002
const FRESH_DAYS = 90
const FIRST_PAGE = 10
/** Fewer shared pages may be coincidence. */
const MIN_SHARED = 2

export interface RankResult {
  readonly pages: readonly MergedPage[]
  /** Problems of result lists, by engine. */
  readonly problems: ReadonlyMap<string, RelevanceProblem>
}

/** `today` in milliseconds since 1970. */
export function rankHits(lists: readonly EngineHits[], query: SearchQuery, today: number): RankResult {
  const ordered = lists.toSorted((one, other) => (one.engine.id < other.engine.id ? -1 : 1))
  const problems = new Map<string, RelevanceProblem>()
  for (const { engine, hits } of ordered) {
    const problem = findRelevanceProblem(hits, query, engine.tier === 'vertical')
    if (problem) problems.set(engine.id, problem)
  }
  // A relevant page need not contain the query terms, but then other families find it too.
  for (const engine of confirmedByOtherFamilies(ordered))
    if (problems.get(engine) === 'off-topic') problems.delete(engine)
  const trusted = ordered
    .filter(({ engine }) => problems.get(engine.id) !== 'off-topic')
    .map((list) => filterBySite(list, query))
  const pages = mergeHits(trusted)
  const trust = engineTrust(trusted, pages, query, problems)
  const scored = pages.map((page) => ({ page, score: scorePage(page, trust, query, today) }))
  scored.sort((one, other) => other.score - one.score || (one.page.url < other.page.url ? -1 : 1))
  return {
    pages: limitPerHost(
      scored.map(({ page }) => page),
      query.site === undefined ? 2 : 3,
    ),
    problems,
  }
}

/** Engines whose lists share several pages with other families. */
function confirmedByOtherFamilies(lists: readonly EngineHits[]): readonly string[] {
  const families = new Map<string, Set<string>>()
  const listKeys = lists.map((list) => ({ engine: list.engine, keys: canonicalKeys(list) }))
  for (const { engine, keys } of listKeys)
    for (const key of keys) families.set(key, (families.get(key) ?? new Set()).add(engine.family))
  const isShared = (key: string): boolean => (families.get(key)?.size ?? 0) > 1
  return listKeys.filter(({ keys }) => [...keys].filter(isShared).length >= MIN_SHARED).map(({ engine }) => engine.id)
}

function canonicalKeys({ hits }: EngineHits): ReadonlySet<string> {
  return new Set(hits.flatMap(({ url }) => canonicalUrl(url)?.key ?? []))
}

/** Filters by `site:`, which not every engine supports. */
function filterBySite({ engine, hits }: EngineHits, { site }: SearchQuery): EngineHits {
  if (site === undefined) return { engine, hits }
  const isOnSite = (url: string): boolean => `.${new URL(url).hostname}`.endsWith(`.${site}`)
  return { engine, hits: hits.filter(({ url }) => isOnSite(url)) }
}

/**
 * Trust in each engine. Spam can match the query text, but it does not appear in other indexes: a general list that
 * shares no page with other families, while those agree with each other, gets low trust.
 */
function engineTrust(
  lists: readonly EngineHits[],
  pages: readonly MergedPage[],
  query: SearchQuery,
  problems: ReadonlyMap<string, RelevanceProblem>,
): ReadonlyMap<string, number> {
  const shared = pages.map(indexFamilies).filter((families) => families.size > 1)
  const trust = new Map<string, number>()
  for (const { engine, hits } of lists) {
    const agrees = shared.some((families) => families.has(engine.family))
    const othersAgree = shared.some((families) => !families.has(engine.family))
    const meanCoverage = hits.reduce((sum, hit) => sum + queryCoverage(hit, query), 0) / Math.max(hits.length, 1)
    const isUnconfirmed = !agrees && (meanCoverage < LOW_COVERAGE || (othersAgree && engine.tier !== 'vertical'))
    trust.set(engine.id, isUnconfirmed || problems.has(engine.id) ? LOW_TRUST : 1)
  }
  return trust
}

export function indexFamilies({ places }: MergedPage): ReadonlySet<string> {
  return new Set(places.map(({ engine }) => engine.family))
}

function scorePage(page: MergedPage, trust: ReadonlyMap<string, number>, query: SearchQuery, today: number): number {
  const familyScores = new Map<string, number>()
  for (const { engine, rank: position } of page.places) {
    const score = ((trust.get(engine.id) ?? 1) * engine.weight) / (RANK_OFFSET + position)
    familyScores.set(engine.family, Math.max(familyScores.get(engine.family) ?? 0, score))
  }
  const sum = [...familyScores.values()].reduce((total, score) => total + score, 0)
  return (
    sum * (MIN_COVERAGE_FACTOR + (1 - MIN_COVERAGE_FACTOR) * queryCoverage(page, query)) + boostPage(page, query, today)
  )
}

function boostPage(page: MergedPage, query: SearchQuery, today: number): number {
  const documentation = isDocumentation(page, query) ? BOOST : 0
  const age = page.date === null ? Infinity : (today - Date.parse(page.date)) / 86_400_000
  return documentation + (query.wantsNews && age < FRESH_DAYS ? BOOST : 0)
}

function isDocumentation({ url, host }: MergedPage, { terms }: SearchQuery): boolean {
  if (/^docs?\.|\.readthedocs\.io$|^developer\./.test(host) || /\.dev\/(docs|reference)\b/.test(url)) return true
  return stemmedWords(host.split('.').at(-2) ?? '').some((name) => terms.has(name))
}

/** Moves excess pages of a host behind the first results. */
function limitPerHost(pages: readonly MergedPage[], maxPerHost: number): readonly MergedPage[] {
  const countByHost = new Map<string, number>()
  const first: MergedPage[] = []
  const rest: MergedPage[] = []
  for (const page of pages) {
    const count = countByHost.get(page.host) ?? 0
    if (first.length < FIRST_PAGE && count < maxPerHost) first.push(page)
    else rest.push(page)
    countByHost.set(page.host, count + 1)
  }
  return [...first, ...rest]
}
