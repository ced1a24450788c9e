// Whether a list answers the query at all. An engine that takes us for a robot may say so with a page full of something
// else, and HTTP 200.

import type { Hit } from './hit.js'
import { folded, stems } from './informative-words.js'
import { pageKey } from './canonical-url.js'
import type { Query } from './query.js'

const MOSTLY = 0.7
const NEARLY_ALL = 0.8
const MIN_OF_ONE_HOST = 5
/** Words that do not begin alike so far are not taken for forms of one. */
const START = 4

/** `off-topic`: hardly a hit has a word of the query; `one-host`: nearly all are of one host nobody asked for. */
export type Suspicion = 'off-topic' | 'one-host'

export function suspicionOf(hits: readonly Hit[], query: Query, isVertical: boolean): Suspicion | undefined {
  const strays = hits.filter((hit) => cover(hit, query) === 0).length
  if (hits.length > 0 && strays / hits.length >= MOSTLY) return 'off-topic'
  if (isVertical || query.site !== undefined || hits.length < MIN_OF_ONE_HOST) return undefined
  return shareOfOneHost(hits) >= NEARLY_ALL ? 'one-host' : undefined
}

/** Each is looked at by several who judge. */
const covers = new WeakMap<Hit, { readonly words: Query['words']; readonly share: number }>()

/** Which part of the query's words a hit has, in its title, its text or its address. */
export function cover(hit: Hit, { words }: Query): number {
  const known = covers.get(hit)
  if (known?.words === words) return known.share
  const share = shareOf(hit, words)
  covers.set(hit, { words, share })
  return share
}

function shareOf(hit: Hit, words: Query['words']): number {
  if (words.size === 0) return 1
  const text = folded(`${hit.title} ${hit.snippet} ${readable(hit.url)}`)
  const has = new Set(stems(text))
  const byStart = new Map<string, string[]>()
  for (const word of has) byStart.set(word.slice(0, START), [...(byStart.get(word.slice(0, START)) ?? []), word])
  const isThere = (word: string): boolean =>
    has.has(word) ||
    // A longer word also counts as part of another: "indexing" in "reindexing".
    (word.length >= START && text.includes(word)) ||
    (byStart.get(word.slice(0, START))?.some((other) => areForms(word, other)) ?? false)
  return [...words].filter(isThere).length / words.size
}

/** "Москве" and "Москва": the same but for how they end. */
function areForms(one: string, other: string): boolean {
  const least = Math.min(one.length, other.length)
  if (least < START) return false
  let same = START
  while (same < least && one[same] === other[same]) same++
  return same / least >= NEARLY_ALL
}

function readable(url: string): string {
  try {
    return decodeURIComponent(url)
  } catch {
    return url
  }
}

function shareOfOneHost(hits: readonly Hit[]): number {
  const counts = new Map<string, number>()
  for (const { url } of hits) {
    const host = pageKey(url)?.host ?? ''
    counts.set(host, (counts.get(host) ?? 0) + 1)
  }
  return Math.max(...counts.values()) / hits.length
}
