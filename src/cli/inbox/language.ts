// Chooses the language of the inbox: `--lang`, otherwise LC_ALL, LC_MESSAGES or LANG in the order of POSIX.

import {
  CATALOGUES,
  LANGUAGES,
  localeOf,
  preferred,
  speakFrom,
  type Language,
  type Words,
} from '../../services/board/languages/words.js'
import type { Key } from '../../services/board/languages/phrase.js'
import { ar } from './languages/ar.js'
import { en } from './languages/en.js'
import { ko } from './languages/ko.js'
import { UsageError } from '../usage-error.js'

const INBOX_MESSAGES = { en, ko, ar } as const

export type InboxWords = Words<Key | keyof typeof en>

export function inboxWords(flag: string | undefined, env: NodeJS.ProcessEnv): InboxWords {
  const locales = [readLocale(env)]
  const language = flag === undefined ? preferred(locales) : parseLanguage(flag)
  return wordsIn(language, localeOf(language, locales))
}

export function wordsIn(language: Language, locale: string = language): InboxWords {
  return speakFrom({ ...CATALOGUES[language], ...INBOX_MESSAGES[language] }, language, locale)
}

function parseLanguage(flag: string): Language {
  const found = LANGUAGES.find(({ language }) => language === flag)
  if (found) return found.language
  throw new UsageError(`--lang must be one of ${LANGUAGES.map(({ language }) => language).join(', ')}, got ${flag}`)
}

/** `ko_KR.UTF-8` → `ko-KR`. The first variable that is set decides, even if it is `C`. */
function readLocale({ LC_ALL, LC_MESSAGES, LANG }: NodeJS.ProcessEnv): string {
  const set = [LC_ALL, LC_MESSAGES, LANG].find((value) => value !== undefined && value !== '') ?? ''
  return set.replace(/[.@].*$/, '').replaceAll('_', '-')
}
