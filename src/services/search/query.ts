// Parses a search query: text, `site:` operator, significant terms, kind and language.

import { Failure } from '../../lib/failure.js'
import { visibleText } from '../../lib/visible-text.js'
import { siteHost } from './canonical-url.js'
import type { Asked, Engine } from './engine.js'
import { informativeWords } from './informative-words.js'
import { kindOf, type QueryKind } from './kind-of-query.js'

const MAX_QUERY = 2000
const SITE = /(?:^|\s)site:(?:https?:\/\/)?(?:\*\.)?([^\s/]+)\S*/i

export interface Query {
  readonly text: string
  /** Without operators, for engines that do not support them. */
  readonly plain: string
  readonly site: string | undefined
  readonly words: ReadonlySet<string>
  readonly kind: QueryKind
  readonly language: string
  readonly wantsNews: boolean
}

export function readQuery(input: string): Query {
  const text = visibleText(input).replaceAll(/\s+/g, ' ').trim()
  if (text.length > MAX_QUERY) {
    throw new Failure(`The query has ${text.length} characters; the maximum is ${MAX_QUERY}. Shorten it.`)
  }
  const site = siteIn(text)
  const plain = text.replace(SITE, ' ').replaceAll('"', ' ').replaceAll(/\s+/g, ' ').trim()
  if (!/[\p{L}\p{N}]/u.test(plain)) throw new Failure('The query is empty. Give a few words to search for.')
  return {
    text,
    plain,
    site,
    words: informativeWords(plain),
    kind: kindOf(plain, site),
    language: languageOf(plain),
    wantsNews: /\b(latest|newest|news|today|this (week|month|year)|202\d)\b/i.test(plain),
  }
}

function siteIn(text: string): string | undefined {
  const host = SITE.exec(text)?.[1]
  return host === undefined ? undefined : siteHost(host)
}

/** The query in the form and length that an engine accepts. */
export function fitted({ text, plain, site, language }: Query, { operators, maxQuery = MAX_QUERY }: Engine): Asked {
  return { text: cutAtWord(operators ? text : plain, maxQuery), site, language }
}

function cutAtWord(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text
  const candidate = text.slice(0, maxLength + 1)
  const end = candidate.lastIndexOf(' ')
  return candidate.slice(0, end > maxLength / 2 ? end : maxLength).toWellFormed()
}

const SCRIPTS: readonly (readonly [RegExp, string])[] = [
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

function languageOf(text: string): string {
  return SCRIPTS.find(([script]) => script.test(text))?.[1] ?? 'en'
}
