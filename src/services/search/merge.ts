// Merges hits of the same page from several engines. All groups are formed before any page is built, so that the result
// does not depend on the order of the engines.

import { pageKey, siteHost, withoutTracking } from './canonical-url.js'
import type { Engine } from './engine.js'
import type { Hit } from './hit.js'
import { foldedWords } from './informative-words.js'
import { siteOf } from './site-of.js'

const SIMILAR = 0.9
const MIN_WORDS = 3
const TONGUE = /^(?:[a-z]{2,3}|simple)\.[^.]+\./
const CUT = /(?:…|\.\.\.)$/

export interface List {
  readonly engine: Pick<Engine, 'id' | 'family' | 'weight' | 'tier'>
  readonly hits: readonly Hit[]
}

export interface Place {
  readonly engine: List['engine']
  /** Starting at 1. */
  readonly rank: number
}

export interface Page extends Hit {
  readonly host: string
  readonly places: readonly Place[]
}

export function merge(lists: readonly List[]): readonly Page[] {
  const groups = groupBy(lists.flatMap(sightings), ({ key }) => key)
  return joined([...groups.values()]).map(toPage)
}

interface Sighting {
  readonly hit: Hit
  readonly host: string
  readonly key: string
  readonly place: Place
}

function sightings({ engine, hits }: List): readonly Sighting[] {
  return hits.flatMap((hit, index) => {
    const page = pageKey(hit.url)
    return page ? [{ hit, ...page, place: { engine, rank: index + 1 } }] : []
  })
}

/** Joins groups of one site whose titles are nearly equal. */
function joined(groups: readonly (readonly Sighting[])[]): readonly (readonly Sighting[])[] {
  const identities = groups.map(faceOf)
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

interface Face {
  readonly site: string
  readonly host: string
  readonly path: string
  readonly titles: readonly ReadonlySet<string>[]
}

function faceOf(group: readonly Sighting[]): Face {
  const host = group[0]?.host ?? ''
  const titles = group.map(({ hit }) => new Set(foldedWords(hit.title)))
  return { site: siteOf(host), host, path: group[0]?.key.slice(host.length).toLowerCase() ?? '', titles }
}

function isSamePage(one: Face | undefined, other: Face | undefined): boolean {
  if (!one || !other || areTongues(one.host, other.host)) return false
  const isSamePath = one.host === other.host && one.path === other.path
  return one.titles.some((title) => other.titles.some((second) => isSameTitle(title, second, isSamePath)))
}

/** en.example.org and de.example.org. */
function areTongues(one: string, other: string): boolean {
  return one !== other && TONGUE.test(one) && TONGUE.test(other)
}

/** Titles that differ in a number are different pages, such as parts or versions. */
function isSameTitle(one: ReadonlySet<string>, other: ReadonlySet<string>, isSamePath: boolean): boolean {
  const smaller = Math.min(one.size, other.size)
  const required = Math.max(one.size, other.size, 1) * SIMILAR
  if (smaller < required || (!isSamePath && smaller < MIN_WORDS)) return false
  let common = 0
  for (const word of one) if (other.has(word)) common++
  if (common < required) return false
  const differing = [...one, ...other].filter((word) => !(one.has(word) && other.has(word)))
  return !differing.some((word) => /\p{N}/u.test(word))
}

function toPage(group: readonly Sighting[]): Page {
  // Fixed order: the same hits yield the same page, in whatever order they arrived.
  const all = group.toSorted(
    (one, other) => one.place.rank - other.place.rank || (signOf(one) < signOf(other) ? -1 : 1),
  )
  const hits = all.map(({ hit }) => hit)
  const url = withoutTracking(best(hits, ({ url: address }) => (address.startsWith('https:') ? 0 : 1))?.url ?? '')
  return {
    title: titleOf(hits),
    url,
    host: siteHost(new URL(url).hostname),
    snippet: best(hits, ({ snippet }) => -snippet.length)?.snippet ?? '',
    date: hits.flatMap(({ date }) => date ?? []).toSorted()[0] ?? null,
    places: bestPlaces(all.map(({ place: position }) => position)),
  }
}

function signOf({ place: position, hit }: Sighting): string {
  return `${position.engine.id} ${hit.url} ${hit.title}`
}

/** The shortest title that is not truncated. */
function titleOf(hits: readonly Hit[]): string {
  const whole = hits.filter(({ title }) => !CUT.test(title))
  if (whole.length > 0) return best(whole, ({ title }) => title.length)?.title ?? ''
  return best(hits, ({ title }) => -title.length)?.title ?? ''
}

/** One position for each engine, even if it lists the page twice. */
function bestPlaces(positions: readonly Place[]): readonly Place[] {
  const first = new Map<string, Place>()
  for (const position of positions) if (!first.has(position.engine.id)) first.set(position.engine.id, position)
  return [...first.values()]
}

/** The first value with the smallest measure. */
function best<T>(values: readonly T[], measure: (value: T) => number): T | undefined {
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
