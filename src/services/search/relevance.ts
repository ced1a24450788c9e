// Checks whether a result list is relevant to the query. Some engines answer bots with unrelated results and HTTP 200.

import type { Hit } from './hit.js'
import { folded, stems } from './informative-words.js'
import { pageKey } from './canonical-url.js'
import type { Query } from './query.js'

const MOSTLY = 0.7
const NEARLY_ALL = 0.8
const MIN_OF_ONE_HOST = 5
/** Words must share a prefix of this length to count as inflections of one word. */
const START = 4

/** `off-topic`: hardly any hit contains a query term; `one-host`: nearly all hits are of one host. */
export type Suspicion = 'off-topic' | 'one-host'

export function suspicionOf(hits: readonly Hit[], query: Query, isVertical: boolean): Suspicion | undefined {
  const offTopicHits = hits.filter((hit) => cover(hit, query) === 0).length
  if (hits.length > 0 && offTopicHits / hits.length >= MOSTLY) return 'off-topic'
  if (isVertical || query.site !== undefined || hits.length < MIN_OF_ONE_HOST) return undefined
  return shareOfOneHost(hits) >= NEARLY_ALL ? 'one-host' : undefined
}

/** Coverage is needed several times for each hit. */
const covers = new WeakMap<Hit, { readonly words: Query['words']; readonly share: number }>()

/** Share of the query terms that occur in the title, snippet or URL of a hit. */
export function cover(hit: Hit, { words }: Query): number {
  const cached = covers.get(hit)
  if (cached?.words === words) return cached.share
  const share = shareOf(hit, words)
  covers.set(hit, { words, share })
  return share
}

function shareOf(hit: Hit, words: Query['words']): number {
  if (words.size === 0) return 1
  const text = folded(`${hit.title} ${hit.snippet} ${readable(hit.url)}`)
  const textStems = new Set(stems(text))
  const byPrefix = new Map<string, string[]>()
  for (const word of textStems)
    byPrefix.set(word.slice(0, START), [...(byPrefix.get(word.slice(0, START)) ?? []), word])
  const isCovered = (word: string): boolean =>
    textStems.has(word) ||
    // A longer term also matches inside a word: "indexing" in "reindexing".
    (word.length >= START && text.includes(word)) ||
    (byPrefix.get(word.slice(0, START))?.some((other) => areForms(word, other)) ?? false)
  return [...words].filter(isCovered).length / words.size
}

/** For example "Москве" and "Москва", which differ only at the end. */
function areForms(one: string, other: string): boolean {
  const shorter = Math.min(one.length, other.length)
  if (shorter < START) return false
  let common = START
  while (common < shorter && one[common] === other[common]) common++
  return common / shorter >= NEARLY_ALL
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
