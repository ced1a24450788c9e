// State shared by the screens of the inbox: console, terminal, language and status line; fits text to the terminal.

import { Failure } from '@scorpiox/mcp/errors'
import { truncateToWidth, wrapToWidth } from '@scorpiox/server/text/column-width'
import { toPrintableLines } from '@scorpiox/server/text/printable-lines'
import type { UserConsole } from '../user-console.js'
import type { ConsoleView } from '../view.js'
import { sanitizeLine } from './format-view.js'
import type { FullScreen } from './full-screen.js'
import type { InboxTranslator } from './inbox-translator.js'
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
  screen.printOnMainScreen(`${toPrintableLines(text).join('\r\n').trimEnd()}\r\n`)
  await prompts.waitForKey()
}
