// State shared by the screens of the inbox: console, terminal, language and status line. Also fits text to the terminal
// and chooses the language. Created by inbox-command, used by all screens. Writes to the terminal.

import { Failure } from '@scorpiox/mcp/errors'
import { UsageError } from '@scorpiox/server/terminal/terminal'
import { toPrintableLines } from '@scorpiox/server/terminal/text-layout'
import { truncateToWidth, wrapToWidth } from '@scorpiox/server/text/column-width'
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
import { sanitizeLine } from './format-view.js'
import type { FullScreen } from './full-screen.js'
import { inboxMessagesAr } from './messages/ar.js'
import { inboxMessagesEn } from './messages/en.js'
import { inboxMessagesKo } from './messages/ko.js'
import type { InboxPrompts } from './prompts.js'

/** Columns that a prompt adds before each line, plus one; with a frame, colour codes are counted too. */
const FRAMED_MARGIN = 16
const MARGIN = 6
/** Rows that prompts need in addition to the message and the entries. */
const FRAMED_ROWS = 6
const ROWS = 3

export interface InboxContext {
  readonly userConsole: UserConsole
  readonly screen: FullScreen
  readonly prompts: InboxPrompts
  readonly translator: InboxTranslator
  view(): ConsoleView
  /** Opens the user's editor; throws a Failure if that is not possible. */
  editText(text: string): Promise<string>
  /** Result of the last action; shown once. */
  statusLine: string
}

/** Runs an action; a failure becomes the status line. Keys pressed meanwhile are discarded. */
export async function runAction(
  context: InboxContext,
  action: () => Promise<void>,
  successText: string,
): Promise<void> {
  try {
    await action()
    context.statusLine = successText
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    context.statusLine = sanitizeLine(error.message)
  }
  context.screen.discardInput()
}

/** Truncates text to one line of the screen. */
export function fitLine({ screen }: InboxContext, text: string): string {
  return truncateToWidth(text, Math.max(10, screen.columns() - (screen.isLarge() ? FRAMED_MARGIN : MARGIN)))
}

/** The number of rows available for a message above that many entries. */
export function rowsAbove({ screen }: InboxContext, entries: number): number {
  return Math.max(1, screen.rows() - entries - (screen.isLarge() ? FRAMED_ROWS : ROWS))
}

/** Wraps untrusted text to the width of the screen. */
export function wrapToScreen({ screen }: InboxContext, text: string): readonly string[] {
  return toPrintableLines(text).flatMap((each) => wrapToWidth(each, Math.max(10, screen.columns() - MARGIN)))
}

/** Prints a whole text on the main screen, where it can be scrolled. */
export async function showFullText({ screen, prompts }: InboxContext, text: string): Promise<void> {
  screen.printOnMainScreen(`${toPrintableLines(text).join('\n').trimEnd()}\n`)
  await prompts.waitForKey()
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
