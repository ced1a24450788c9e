// State shared by the screens of the inbox: console, terminal, language and status line; fits text to the terminal.

import type { Board } from '../../services/board/board.js'
import type { BoardView } from '../../services/board/view.js'
import { Failure } from '../../lib/failure.js'
import { fitColumns, wrapColumns } from '../../lib/fit-columns.js'
import { plainLines } from '../../lib/plain-lines.js'
import type { FullScreen } from './full-screen.js'
import type { InboxWords } from './language.js'
import { line } from './phrases.js'
import type { Prompts } from './prompts.js'

/** Columns that a prompt adds before each line, plus one; with a frame, colour codes are counted too. */
const FRAMED_MARGIN = 16
const MARGIN = 6
/** Rows that prompts need in addition to the message and the entries. */
const FRAMED_ROWS = 6
const ROWS = 3

export interface Context {
  readonly board: Board
  readonly screen: FullScreen
  readonly prompts: Prompts
  readonly words: InboxWords
  view(): BoardView
  /** Result of the last action; shown once. */
  notice: string
}

/** Runs an action; a failure becomes the status line. Keys pressed meanwhile are discarded. */
export async function attempt(context: Context, action: () => Promise<void>, successText: string): Promise<void> {
  try {
    await action()
    context.notice = successText
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    context.notice = line(error.message)
  }
  context.screen.forgetKeys()
}

/** Truncates text to one line of the screen. */
export function fitting({ screen }: Context, text: string): string {
  return fitColumns(text, Math.max(10, screen.columns() - (screen.isRoomy() ? FRAMED_MARGIN : MARGIN)))
}

/** The number of rows available for a message above that many entries. */
export function roomAbove({ screen }: Context, entries: number): number {
  return Math.max(1, screen.rows() - entries - (screen.isRoomy() ? FRAMED_ROWS : ROWS))
}

/** Wraps untrusted text to the width of the screen. */
export function wrapped({ screen }: Context, text: string): readonly string[] {
  return plainLines(text).flatMap((each) => wrapColumns(each, Math.max(10, screen.columns() - MARGIN)))
}

/** Prints a whole text on the main screen, where it can be scrolled. */
export async function readAll({ screen, prompts }: Context, text: string): Promise<void> {
  screen.printAside(`${plainLines(text).join('\r\n').trimEnd()}\r\n`)
  await prompts.goOn()
}
