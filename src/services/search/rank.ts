// Reciprocal rank fusion by family: each index has one voice, the best of its engines, however many repeat it. A list that
// stands alone against the agreement of others counts little, and no host takes the whole of the first page.

import { pageKey } from './canonical-url.js'
import { stems } from './informative-words.js'
import { merge, type List, type Page } from './merge.js'
import type { Query } from './query.js'
import { cover, suspicionOf, type Suspicion } from './relevance.js'

const K = 60
const DOUBTFUL = 0.3
const LOW_COVER = 0.5
/** What no word of the query is in keeps this part of its score. */
const LEAST = 0.6
/** Less than one step of rank. */
const BOOST = 0.0002
const FRESH_DAYS = 90
const FIRST_PAGE = 10
/** Pages in common that may be chance no more. */
const MIN_SHARED = 2

export interface Ranked {
  readonly pages: readonly Page[]
  /** The lists that were doubted, by engine. */
  readonly suspects: ReadonlyMap<string, Suspicion>
}

/** `today` in milliseconds since 1970. */
export function rank(lists: readonly List[], query: Query, today: number): Ranked {
  const ordered = lists.toSorted((one, other) => (one.engine.id < other.engine.id ? -1 : 1))
  const suspects = new Map<string, Suspicion>()
  for (const { engine, hits } of ordered) {
    const suspicion = suspicionOf(hits, query, engine.tier === 'vertical')
    if (suspicion) suspects.set(engine.id, suspicion)
  }
  // The answer need not have a word of the question, but then others find the same answer.
  for (const engine of confirmed(ordered)) if (suspects.get(engine) === 'off-topic') suspects.delete(engine)
  const trusted = ordered
    .filter(({ engine }) => suspects.get(engine.id) !== 'off-topic')
    .map((list) => onSite(list, query))
  const pages = merge(trusted)
  const trust = trustIn(trusted, pages, query, suspects)
  const scored = pages.map((page) => ({ page, score: scoreOf(page, trust, query, today) }))
  scored.sort((one, other) => other.score - one.score || (one.page.url < other.page.url ? -1 : 1))
  return {
    pages: spread(
      scored.map(({ page }) => page),
      query.site === undefined ? 2 : 3,
    ),
    suspects,
  }
}

/** The engines of lists of which several pages are known to other families too. */
function confirmed(lists: readonly List[]): readonly string[] {
  const families = new Map<string, Set<string>>()
  const known = lists.map((list) => ({ engine: list.engine, keys: keysOf(list) }))
  for (const { engine, keys } of known)
    for (const key of keys) families.set(key, (families.get(key) ?? new Set()).add(engine.family))
  const isShared = (key: string): boolean => (families.get(key)?.size ?? 0) > 1
  return known.filter(({ keys }) => [...keys].filter(isShared).length >= MIN_SHARED).map(({ engine }) => engine.id)
}

function keysOf({ hits }: List): ReadonlySet<string> {
  return new Set(hits.flatMap(({ url }) => pageKey(url)?.key ?? []))
}

/** Not every engine knows `site:`. */
function onSite({ engine, hits }: List, { site }: Query): List {
  if (site === undefined) return { engine, hits }
  const isOnSite = (url: string): boolean => `.${new URL(url).hostname}`.endsWith(`.${site}`)
  return { engine, hits: hits.filter(({ url }) => isOnSite(url)) }
}

/**
 * How far each engine is believed. Poison that repeats the query in every line passes for relevant; what it cannot do is
 * be found by others. So where other families agree with each other, a list of the whole web that shares nothing with any
 * of them is doubted, whatever it says.
 */
function trustIn(
  lists: readonly List[],
  pages: readonly Page[],
  query: Query,
  suspects: ReadonlyMap<string, Suspicion>,
): ReadonlyMap<string, number> {
  const shared = pages.map(familiesOf).filter((families) => families.size > 1)
  const trust = new Map<string, number>()
  for (const { engine, hits } of lists) {
    const agrees = shared.some((families) => families.has(engine.family))
    const othersAgree = shared.some((families) => !families.has(engine.family))
    const means = hits.reduce((sum, hit) => sum + cover(hit, query), 0) / Math.max(hits.length, 1)
    const isAlone = !agrees && (means < LOW_COVER || (othersAgree && engine.tier !== 'vertical'))
    trust.set(engine.id, isAlone || suspects.has(engine.id) ? DOUBTFUL : 1)
  }
  return trust
}

export function familiesOf({ places }: Page): ReadonlySet<string> {
  return new Set(places.map(({ engine }) => engine.family))
}

function scoreOf(page: Page, trust: ReadonlyMap<string, number>, query: Query, today: number): number {
  const voices = new Map<string, number>()
  for (const { engine, rank: place } of page.places) {
    const voice = ((trust.get(engine.id) ?? 1) * engine.weight) / (K + place)
    voices.set(engine.family, Math.max(voices.get(engine.family) ?? 0, voice))
  }
  const sum = [...voices.values()].reduce((total, voice) => total + voice, 0)
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

/** What a host has too much of comes after the first page. */
function spread(pages: readonly Page[], most: number): readonly Page[] {
  const seen = new Map<string, number>()
  const first: Page[] = []
  const later: Page[] = []
  for (const page of pages) {
    const count = seen.get(page.host) ?? 0
    if (first.length < FIRST_PAGE && count < most) first.push(page)
    else later.push(page)
    seen.set(page.host, count + 1)
  }
  return [...first, ...later]
}
