// Parses a search query: text, `site:` operator, significant terms, kind and language; toEngineQuery adapts it to one
// engine. Used by search-service, engine-selection and the ranking. Pure.

import { Failure } from '@scorpiox/mcp/errors'
import { removeInvisible } from '../../text/untrusted-text.js'
import { bareHost } from './canonical-url.js'
import type { EngineQuery, QueryKind, SearchEngine } from './engine-kit/search-engine.js'
import { significantTerms } from './query-terms.js'

const MAX_QUERY = 2000
const SITE = /(?:^|\s)site:(?:https?:\/\/)?(?:\*\.)?([^\s/]+)\S*/i

export interface SearchQuery {
  readonly text: string
  /** Without operators, for engines that do not support them. */
  readonly plain: string
  readonly site: string | undefined
  readonly terms: ReadonlySet<string>
  readonly kind: QueryKind
  readonly language: string
  readonly wantsNews: boolean
}

export function parseQuery(input: string): SearchQuery {
  const text = removeInvisible(input).replaceAll(/\s+/g, ' ').trim()
  if (text.length > MAX_QUERY) {
    throw new Failure(`The query has ${text.length} characters; the maximum is ${MAX_QUERY}. Shorten it.`)
  }
  const site = parseSite(text)
  const plain = text.replace(SITE, ' ').replaceAll('"', ' ').replaceAll(/\s+/g, ' ').trim()
  if (!/[\p{L}\p{N}]/u.test(plain)) throw new Failure('The query is empty. Give a few words to search for.')
  return {
    text,
    plain,
    site,
    terms: significantTerms(plain),
    kind: detectQueryKind(plain, site),
    language: detectLanguage(plain),
    wantsNews: /\b(latest|newest|news|today|this (week|month|year)|202\d)\b/i.test(plain),
  }
}

function parseSite(text: string): string | undefined {
  const host = SITE.exec(text)?.[1]
  return host === undefined ? undefined : bareHost(host)
}

/** The query in the form and length that an engine accepts. */
export function toEngineQuery(
  { text, plain, site, language }: SearchQuery,
  { supportsOperators, maxQuery = MAX_QUERY }: SearchEngine,
): EngineQuery {
  return { text: cutAtWord(supportsOperators ? text : plain, maxQuery), site, language }
}

function cutAtWord(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text
  const candidate = text.slice(0, maxLength + 1)
  const end = candidate.lastIndexOf(' ')
  return candidate.slice(0, end > maxLength / 2 ? end : maxLength).toWellFormed()
}

const LANGUAGE_BY_SCRIPT: readonly (readonly [RegExp, string])[] = [
  [/[\p{Script=Hiragana}\p{Script=Katakana}]/u, 'ja'],
  [/\p{Script=Hangul}/u, 'ko'],
  [/\p{Script=Han}/u, 'zh'],
  [/[іїєґ]/iu, 'uk'],
  [/\p{Script=Cyrillic}/u, 'ru'],
  [/[پچژگ]/u, 'fa'],
  [/\p{Script=Arabic}/u, 'ar'],
  [/\p{Script=Hebrew}/u, 'he'],
  [/\p{Script=Greek}/u, 'el'],
  [/\p{Script=Thai}/u, 'th'],
  [/\p{Script=Devanagari}/u, 'hi'],
]

function detectLanguage(text: string): string {
  return LANGUAGE_BY_SCRIPT.find(([script]) => script.test(text))?.[1] ?? 'en'
}

const KIND_BY_HOST: readonly (readonly [RegExp, QueryKind])[] = [
  [/(^|\.)(stackoverflow|stackexchange)\.com$/, 'code'],
  [/(^|\.)npmjs\.com$/, 'javascript'],
  [/(^|\.)crates\.io$/, 'rust'],
  [/(^|\.)github\.com$/, 'library'],
  [/(^|\.)arxiv\.org$/, 'paper'],
  [/(^|\.)developer\.mozilla\.org$/, 'platform'],
  [/(^|\.)ycombinator\.com$/, 'news'],
]

/** The first match wins. */
const KIND_BY_PATTERN: readonly (readonly [RegExp, QueryKind])[] = [
  [/\b(arxiv|preprint|doi|et al|research papers?|papers? (on|about)|systematic review|peer.reviewed)\b/i, 'paper'],
  [/\b(npm|npx|node ?modules?)\b/i, 'javascript'],
  [/\b(crates?|cargo)\b|\brust (library|package)\b/i, 'rust'],
  [/\b(css|html5?|web ?apis?|indexeddb|service workers?|webgl|webrtc|flexbox|mdn|javascript array)\b/i, 'platform'],
  [/\b(librar(y|ies)|frameworks?|github|gitlab|repo(sitory)?|open.?source|sdk|alternatives? to)\b/i, 'library'],
  [/\b(hacker ?news|startups?|releases?d?|launch(ed|es)?|announce[ds]?|outage|data breach|CVE-\d+)\b/i, 'news'],
  [/\b(error|exception|traceback|stack trace|segfault|undefined|compil(e|er|ing)|regex|syntax|deprecated)\b/i, 'code'],
  [
    /\b(python|javascript|typescript|java|golang|rust|kotlin|swift|php|ruby|sql|bash|docker|git|react|c\+\+|c#)/i,
    'code',
  ],
  [/\w\(\)|::|->|=>|\b[a-z]+[A-Z]\w+\b|\b\w+_\w+\b/, 'code'],
]

/** A wrong guess costs one engine of eleven. */
function detectQueryKind(text: string, site: string | undefined): QueryKind {
  if (site !== undefined) return KIND_BY_HOST.find(([host]) => host.test(site))?.[1] ?? 'general'
  return KIND_BY_PATTERN.find(([sign]) => sign.test(text))?.[1] ?? 'general'
}
