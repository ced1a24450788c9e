// Merges hits of the same page from several engines, by canonical URL or by site and title. All groups are formed before
// any page is built, so that the result does not depend on the order of the engines. Used by rank-hits. Pure.

import { bareHost, canonicalUrl, stripTracking } from './canonical-url.js'
import type { SearchEngine } from './engine-kit/search-engine.js'
import type { SearchHit } from './engine-kit/search-hit.js'
import { normalizedWords } from './query-terms.js'

const MIN_TITLE_OVERLAP = 0.9
const MIN_TITLE_WORDS = 3
const LANGUAGE_SUBDOMAIN = /^(?:[a-z]{2,3}|simple)\.[^.]+\./
const TRUNCATED_TITLE = /(?:…|\.\.\.)$/

export interface EngineHits {
  readonly engine: Pick<SearchEngine, 'id' | 'family' | 'weight' | 'tier'>
  readonly hits: readonly SearchHit[]
}

export interface HitPosition {
  readonly engine: EngineHits['engine']
  /** Starting at 1. */
  readonly rank: number
}

export interface MergedPage extends SearchHit {
  readonly host: string
  readonly places: readonly HitPosition[]
}

export function mergeHits(lists: readonly EngineHits[]): readonly MergedPage[] {
  const groups = groupBy(lists.flatMap(toRankedHits), ({ key }) => key)
  return joinSamePages([...groups.values()]).map(toMergedPage)
}

interface RankedHit {
  readonly hit: SearchHit
  readonly host: string
  readonly key: string
  readonly place: HitPosition
}

function toRankedHits({ engine, hits }: EngineHits): readonly RankedHit[] {
  return hits.flatMap((hit, index) => {
    const page = canonicalUrl(hit.url)
    return page ? [{ hit, ...page, place: { engine, rank: index + 1 } }] : []
  })
}

/** Joins groups of one site whose titles are nearly equal. */
function joinSamePages(groups: readonly (readonly RankedHit[])[]): readonly (readonly RankedHit[])[] {
  const identities = groups.map(identityOf)
  const parent = groups.map((_, index) => index)
  const find = (index: number): number => {
    const next = parent[index] ?? index
    return next === index ? index : find(next)
  }
  const bySite = groupBy([...identities.keys()], (index) => identities[index]?.site ?? '')
  for (const indices of bySite.values()) {
    for (const [at, one] of indices.entries()) {
      for (const other of indices.slice(at + 1)) {
        if (isSamePage(identities[one], identities[other])) parent[find(one)] = find(other)
      }
    }
  }
  return [...groupBy([...groups.keys()], find).values()].map((indices) =>
    indices.flatMap((index) => groups[index] ?? []),
  )
}

interface PageIdentity {
  readonly site: string
  readonly host: string
  readonly path: string
  readonly titles: readonly ReadonlySet<string>[]
}

function identityOf(group: readonly RankedHit[]): PageIdentity {
  const host = group[0]?.host ?? ''
  const titles = group.map(({ hit }) => new Set(normalizedWords(hit.title)))
  return { site: registrableDomain(host), host, path: group[0]?.key.slice(host.length).toLowerCase() ?? '', titles }
}

function isSamePage(one: PageIdentity | undefined, other: PageIdentity | undefined): boolean {
  if (!one || !other || areLanguageVariants(one.host, other.host)) return false
  const isSamePath = one.host === other.host && one.path === other.path
  return one.titles.some((title) => other.titles.some((second) => isSameTitle(title, second, isSamePath)))
}

/** en.example.org and de.example.org. */
function areLanguageVariants(one: string, other: string): boolean {
  return one !== other && LANGUAGE_SUBDOMAIN.test(one) && LANGUAGE_SUBDOMAIN.test(other)
}

/** Titles that differ in a number are different pages, such as parts or versions. */
function isSameTitle(one: ReadonlySet<string>, other: ReadonlySet<string>, isSamePath: boolean): boolean {
  const smaller = Math.min(one.size, other.size)
  const required = Math.max(one.size, other.size, 1) * MIN_TITLE_OVERLAP
  if (smaller < required || (!isSamePath && smaller < MIN_TITLE_WORDS)) return false
  let common = 0
  for (const word of one) if (other.has(word)) common++
  if (common < required) return false
  const differing = [...one, ...other].filter((word) => !(one.has(word) && other.has(word)))
  return !differing.some((word) => /\p{N}/u.test(word))
}

function toMergedPage(group: readonly RankedHit[]): MergedPage {
  // Fixed order: the same hits yield the same page, in whatever order they arrived.
  const all = group.toSorted(
    (one, other) => one.place.rank - other.place.rank || (tieBreakerOf(one) < tieBreakerOf(other) ? -1 : 1),
  )
  const hits = all.map(({ hit }) => hit)
  const url = stripTracking(minBy(hits, ({ url: address }) => (address.startsWith('https:') ? 0 : 1))?.url ?? '')
  return {
    title: bestTitle(hits),
    url,
    host: bareHost(new URL(url).hostname),
    snippet: minBy(hits, ({ snippet }) => -snippet.length)?.snippet ?? '',
    date: hits.flatMap(({ date }) => date ?? []).toSorted()[0] ?? null,
    places: firstPositionPerEngine(all.map(({ place: position }) => position)),
  }
}

function tieBreakerOf({ place: position, hit }: RankedHit): string {
  return `${position.engine.id} ${hit.url} ${hit.title}`
}

/** The shortest title that is not truncated. */
function bestTitle(hits: readonly SearchHit[]): string {
  const whole = hits.filter(({ title }) => !TRUNCATED_TITLE.test(title))
  if (whole.length > 0) return minBy(whole, ({ title }) => title.length)?.title ?? ''
  return minBy(hits, ({ title }) => -title.length)?.title ?? ''
}

/** One position for each engine, even if it lists the page twice. */
function firstPositionPerEngine(positions: readonly HitPosition[]): readonly HitPosition[] {
  const first = new Map<string, HitPosition>()
  for (const position of positions) if (!first.has(position.engine.id)) first.set(position.engine.id, position)
  return [...first.values()]
}

/** The first value with the smallest measure. */
function minBy<T>(values: readonly T[], measure: (value: T) => number): T | undefined {
  return values.toSorted((one, other) => measure(one) - measure(other))[0]
}

function groupBy<T, K>(values: readonly T[], keyOf: (value: T) => K): ReadonlyMap<K, T[]> {
  const groups = new Map<K, T[]>()
  for (const value of values) {
    const key = keyOf(value)
    const group = groups.get(key)
    if (group) group.push(value)
    else groups.set(key, [value])
  }
  return groups
}

const COUNTRY_SUFFIX = /^(?:com?|org|net|gov|govt|edu|ac|or|ne|go|gob)\.[a-z]{2}$/
const SHARED_HOSTING_SUFFIXES = new Set([
  'github.io',
  'gitlab.io',
  'readthedocs.io',
  'blogspot.com',
  'wordpress.com',
  'substack.com',
  'tumblr.com',
  'netlify.app',
  'vercel.app',
  'pages.dev',
  'web.app',
  'herokuapp.com',
  'fandom.com',
])

/**
 * Approximates the registrable domain of a host without the Public Suffix List: the last two labels, or three for
 * country-code suffixes such as co.uk and shared hosting such as github.io.
 */
function registrableDomain(host: string): string {
  const labels = host.split('.')
  const suffix = labels.slice(-2).join('.')
  return COUNTRY_SUFFIX.test(suffix) || SHARED_HOSTING_SUFFIXES.has(suffix) ? labels.slice(-3).join('.') : suffix
}
