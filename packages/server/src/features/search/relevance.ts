// Checks whether a result list is relevant to the query. Some engines answer bots with unrelated results and HTTP 200. Used
// by search-service and rank-hits. No I/O; caches the coverage of each hit.

import { decodeUriText } from '../../text/normalize-text.js'
import { canonicalUrl } from './canonical-url.js'
import type { SearchHit } from './engine-kit/search-hit.js'
import { foldText, stemmedWords } from './query-terms.js'
import type { SearchQuery } from './query.js'

const OFF_TOPIC_SHARE = 0.7
const HIGH_SHARE = 0.8
const MIN_OF_ONE_HOST = 5
/** Words must share a prefix of this length to count as inflections of one word. */
const PREFIX_LENGTH = 4

/** `off-topic`: hardly any hit contains a query term; `one-host`: nearly all hits are of one host. */
export type RelevanceProblem = 'off-topic' | 'one-host'

export function findRelevanceProblem(
  hits: readonly SearchHit[],
  query: SearchQuery,
  isVertical: boolean,
): RelevanceProblem | undefined {
  const offTopicHits = hits.filter((hit) => queryCoverage(hit, query) === 0).length
  if (hits.length > 0 && offTopicHits / hits.length >= OFF_TOPIC_SHARE) return 'off-topic'
  if (isVertical || query.site !== undefined || hits.length < MIN_OF_ONE_HOST) return undefined
  return topHostShare(hits) >= HIGH_SHARE ? 'one-host' : undefined
}

/** Coverage is needed several times for each hit. */
const coverageCache = new WeakMap<SearchHit, { readonly words: SearchQuery['terms']; readonly share: number }>()

/** Share of the query terms that occur in the title, snippet or URL of a hit. */
export function queryCoverage(hit: SearchHit, { terms }: SearchQuery): number {
  const cached = coverageCache.get(hit)
  if (cached?.words === terms) return cached.share
  const share = computeCoverage(hit, terms)
  coverageCache.set(hit, { words: terms, share })
  return share
}

function computeCoverage(hit: SearchHit, words: SearchQuery['terms']): number {
  if (words.size === 0) return 1
  const text = foldText(`${hit.title} ${hit.snippet} ${decodeUriText(hit.url)}`)
  const textStems = new Set(stemmedWords(text))
  const byPrefix = new Map<string, string[]>()
  for (const word of textStems)
    byPrefix.set(word.slice(0, PREFIX_LENGTH), [...(byPrefix.get(word.slice(0, PREFIX_LENGTH)) ?? []), word])
  const isCovered = (word: string): boolean =>
    textStems.has(word) ||
    // A longer term also matches inside a word: "indexing" in "reindexing".
    (word.length >= PREFIX_LENGTH && text.includes(word)) ||
    (byPrefix.get(word.slice(0, PREFIX_LENGTH))?.some((other) => areInflections(word, other)) ?? false)
  return [...words].filter(isCovered).length / words.size
}

/** For example "Москве" and "Москва", which differ only at the end. */
function areInflections(one: string, other: string): boolean {
  const shorter = Math.min(one.length, other.length)
  if (shorter < PREFIX_LENGTH) return false
  let common = PREFIX_LENGTH
  while (common < shorter && one[common] === other[common]) common++
  return common / shorter >= HIGH_SHARE
}

function topHostShare(hits: readonly SearchHit[]): number {
  const counts = new Map<string, number>()
  for (const { url } of hits) {
    const host = canonicalUrl(url)?.host ?? ''
    counts.set(host, (counts.get(host) ?? 0) + 1)
  }
  return Math.max(...counts.values()) / hits.length
}
