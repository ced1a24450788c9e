// Ranks pages by reciprocal rank fusion per index family: a family contributes the best score of its engines once.
// Lists that agree with no other family get low trust, and the number of first results per host is limited.

import { pageKey } from './canonical-url.js'
import { stems } from './informative-words.js'
import { merge, type List, type Page } from './merge.js'
import type { Query } from './query.js'
import { cover, suspicionOf, type Suspicion } from './relevance.js'

const K = 60
const DOUBTFUL = 0.3
const LOW_COVER = 0.5
/** Factor of the score of a page that contains no query term. */
const LEAST = 0.6
/** Less than the difference between two ranks. */
const BOOST = 0.0002
const FRESH_DAYS = 90
const FIRST_PAGE = 10
/** Fewer shared pages may be coincidence. */
const MIN_SHARED = 2

export interface Ranked {
  readonly pages: readonly Page[]
  /** Problems of result lists, by engine. */
  readonly suspects: ReadonlyMap<string, Suspicion>
}

/** `today` in milliseconds since 1970. */
export function rank(lists: readonly List[], query: Query, today: number): Ranked {
  const ordered = lists.toSorted((one, other) => (one.engine.id < other.engine.id ? -1 : 1))
  const problems = new Map<string, Suspicion>()
  for (const { engine, hits } of ordered) {
    const problem = suspicionOf(hits, query, engine.tier === 'vertical')
    if (problem) problems.set(engine.id, problem)
  }
  // A relevant page need not contain the query terms, but then other families find it too.
  for (const engine of confirmed(ordered)) if (problems.get(engine) === 'off-topic') problems.delete(engine)
  const trusted = ordered
    .filter(({ engine }) => problems.get(engine.id) !== 'off-topic')
    .map((list) => onSite(list, query))
  const pages = merge(trusted)
  const trust = trustIn(trusted, pages, query, problems)
  const scored = pages.map((page) => ({ page, score: scoreOf(page, trust, query, today) }))
  scored.sort((one, other) => other.score - one.score || (one.page.url < other.page.url ? -1 : 1))
  return {
    pages: spread(
      scored.map(({ page }) => page),
      query.site === undefined ? 2 : 3,
    ),
    suspects: problems,
  }
}

/** Engines whose lists share several pages with other families. */
function confirmed(lists: readonly List[]): readonly string[] {
  const families = new Map<string, Set<string>>()
  const listKeys = lists.map((list) => ({ engine: list.engine, keys: keysOf(list) }))
  for (const { engine, keys } of listKeys)
    for (const key of keys) families.set(key, (families.get(key) ?? new Set()).add(engine.family))
  const isShared = (key: string): boolean => (families.get(key)?.size ?? 0) > 1
  return listKeys.filter(({ keys }) => [...keys].filter(isShared).length >= MIN_SHARED).map(({ engine }) => engine.id)
}

function keysOf({ hits }: List): ReadonlySet<string> {
  return new Set(hits.flatMap(({ url }) => pageKey(url)?.key ?? []))
}

/** Filters by `site:`, which not every engine supports. */
function onSite({ engine, hits }: List, { site }: Query): List {
  if (site === undefined) return { engine, hits }
  const isOnSite = (url: string): boolean => `.${new URL(url).hostname}`.endsWith(`.${site}`)
  return { engine, hits: hits.filter(({ url }) => isOnSite(url)) }
}

/**
 * Trust in each engine. Spam can match the query text, but it does not appear in other indexes: a general list that
 * shares no page with other families, while those agree with each other, gets low trust.
 */
function trustIn(
  lists: readonly List[],
  pages: readonly Page[],
  query: Query,
  problems: ReadonlyMap<string, Suspicion>,
): ReadonlyMap<string, number> {
  const shared = pages.map(familiesOf).filter((families) => families.size > 1)
  const trust = new Map<string, number>()
  for (const { engine, hits } of lists) {
    const agrees = shared.some((families) => families.has(engine.family))
    const othersAgree = shared.some((families) => !families.has(engine.family))
    const meanCoverage = hits.reduce((sum, hit) => sum + cover(hit, query), 0) / Math.max(hits.length, 1)
    const isUnconfirmed = !agrees && (meanCoverage < LOW_COVER || (othersAgree && engine.tier !== 'vertical'))
    trust.set(engine.id, isUnconfirmed || problems.has(engine.id) ? DOUBTFUL : 1)
  }
  return trust
}

export function familiesOf({ places }: Page): ReadonlySet<string> {
  return new Set(places.map(({ engine }) => engine.family))
}

function scoreOf(page: Page, trust: ReadonlyMap<string, number>, query: Query, today: number): number {
  const familyScores = new Map<string, number>()
  for (const { engine, rank: position } of page.places) {
    const score = ((trust.get(engine.id) ?? 1) * engine.weight) / (K + position)
    familyScores.set(engine.family, Math.max(familyScores.get(engine.family) ?? 0, score))
  }
  const sum = [...familyScores.values()].reduce((total, score) => total + score, 0)
  return sum * (LEAST + (1 - LEAST) * cover(page, query)) + boostOf(page, query, today)
}

function boostOf(page: Page, query: Query, today: number): number {
  const documentation = isDocumentation(page, query) ? BOOST : 0
  const age = page.date === null ? Infinity : (today - Date.parse(page.date)) / 86_400_000
  return documentation + (query.wantsNews && age < FRESH_DAYS ? BOOST : 0)
}

function isDocumentation({ url, host }: Page, { words }: Query): boolean {
  if (/^docs?\.|\.readthedocs\.io$|^developer\./.test(host) || /\.dev\/(docs|reference)\b/.test(url)) return true
  return stems(host.split('.').at(-2) ?? '').some((name) => words.has(name))
}

/** Moves excess pages of a host behind the first results. */
function spread(pages: readonly Page[], maxPerHost: number): readonly Page[] {
  const countByHost = new Map<string, number>()
  const first: Page[] = []
  const rest: Page[] = []
  for (const page of pages) {
    const count = countByHost.get(page.host) ?? 0
    if (first.length < FIRST_PAGE && count < maxPerHost) first.push(page)
    else rest.push(page)
    countByHost.set(page.host, count + 1)
  }
  return [...first, ...rest]
}
