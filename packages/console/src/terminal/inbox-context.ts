// State shared by the screens of the inbox: console, frame and language. Also chooses the language. Created by
// inbox-command.ts, used by all screens.

import { UsageError } from '@scorpiox/server/terminal/terminal'
import {
  createTranslatorFrom,
  type Language,
  LANGUAGES,
  preferredLanguage,
  preferredLocale,
  type TranslationKey,
  TRANSLATIONS,
  type Translator,
} from '../i18n/translator.js'
import type { UserConsole } from '../user-console.js'
import type { ConsoleView } from '../view.js'
import type { InboxUi } from './inbox-app.js'
import { inboxMessagesAr } from './messages/ar.js'
import { inboxMessagesEn } from './messages/en.js'
import { inboxMessagesKo } from './messages/ko.js'

export interface InboxContext {
  readonly userConsole: UserConsole
  readonly ui: InboxUi
  readonly translator: InboxTranslator
  readonly view: () => ConsoleView
  /** Opens the user's editor; throws a Failure if that is not possible. */
  readonly editText: (text: string) => Promise<string>
  readonly notifications: NotificationSwitch
}

/** Turns the signals for new questions on and off while the inbox runs. */
export interface NotificationSwitch {
  readonly areOn: boolean
  toggle(): void
}

const INBOX_MESSAGES = { en: inboxMessagesEn, ko: inboxMessagesKo, ar: inboxMessagesAr } as const

/** Chooses the language of the inbox: `--lang`, otherwise LC_ALL, LC_MESSAGES or LANG in the order of POSIX. */
export type InboxTranslator = Translator<TranslationKey | keyof typeof inboxMessagesEn>

export function createInboxTranslator(flag: string | undefined, env: NodeJS.ProcessEnv): InboxTranslator {
  const locales = [readLocale(env)]
  const language = flag === undefined ? preferredLanguage(locales) : parseLanguage(flag)
  return inboxTranslatorFor(language, preferredLocale(language, locales))
}

export function inboxTranslatorFor(language: Language, locale: string = language): InboxTranslator {
  return createTranslatorFrom({ ...TRANSLATIONS[language], ...INBOX_MESSAGES[language] }, language, locale)
}

function parseLanguage(flag: string): Language {
  const found = LANGUAGES.find(({ language }) => language === flag)
  if (found) return found.language
  throw new UsageError(`--lang must be one of ${LANGUAGES.map(({ language }) => language).join(', ')}, got ${flag}`)
}

/** `ko_KR.UTF-8` → `ko-KR`. The first variable that is set decides, even if it is `C`. */
function readLocale({ LC_ALL, LC_MESSAGES, LANG }: NodeJS.ProcessEnv): string {
  const set = [LC_ALL, LC_MESSAGES, LANG].find((value) => value !== undefined && value !== '') ?? ''
  return set.replace(/[.@][^]*/, '').replaceAll('_', '-')
}
