// What is asked for: the words, the site they are confined to, what kind of thing it is about and in which language.

import { Failure } from '../../lib/failure.js'
import { visibleText } from '../../lib/visible-text.js'
import { siteHost } from './canonical-url.js'
import type { Asked, Engine } from './engine.js'
import { informativeWords } from './informative-words.js'
import { kindOf } from './kind-of-query.js'

const MAX_QUERY = 2000
const SITE = /(?:^|\s)site:(?:https?:\/\/)?(?:\*\.)?([^\s/]+)\S*/i

export type QueryKind = 'general' | 'code' | 'javascript' | 'rust' | 'library' | 'paper' | 'news' | 'platform'

export interface Query {
  readonly text: string
  /** Without operators, for engines that do not know any. */
  readonly plain: string
  readonly site: string | undefined
  readonly words: ReadonlySet<string>
  readonly kind: QueryKind
  readonly language: string
  readonly wantsNews: boolean
}

export function readQuery(given: string): Query {
  const text = visibleText(given).replaceAll(/\s+/g, ' ').trim()
  if (text.length > MAX_QUERY) {
    throw new Failure(`The query has ${text.length} characters; ${MAX_QUERY} are the most. Shorten it.`)
  }
  const site = siteIn(text)
  const plain = text.replace(SITE, ' ').replaceAll('"', ' ').replaceAll(/\s+/g, ' ').trim()
  if (!/[\p{L}\p{N}]/u.test(plain)) throw new Failure('The query is empty. Say in a few words what to search for.')
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

/** The query as one engine takes it. */
export function fitted({ text, plain, site, language }: Query, { operators, maxQuery = MAX_QUERY }: Engine): Asked {
  return { text: cutAtWord(operators ? text : plain, maxQuery), site, language }
}

function cutAtWord(text: string, most: number): string {
  if (text.length <= most) return text
  const cut = text.slice(0, most + 1)
  const end = cut.lastIndexOf(' ')
  return cut.slice(0, end > most / 2 ? end : most).toWellFormed()
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
