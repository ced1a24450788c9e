// What every room of the inbox needs: the board, the terminal, the language, and a notice about what was just done.

import type { Board } from '../../services/board/board.js'
import type { BoardView } from '../../services/board/view.js'
import { Failure } from '../../lib/failure.js'
import { fitColumns, wrapColumns } from '../../lib/fit-columns.js'
import { plainLines } from '../../lib/plain-lines.js'
import type { FullScreen } from './full-screen.js'
import type { InboxWords } from './language.js'
import { line } from './phrases.js'
import type { Prompts } from './prompts.js'

/** What a prompt puts in front of each line, and one to spare; with a frame it counts the colours of that too. */
const FRAMED_MARGIN = 16
const MARGIN = 6
/** Rows that prompts need besides the message and the entries. */
const FRAMED_ROWS = 6
const ROWS = 3

export interface Context {
  readonly board: Board
  readonly screen: FullScreen
  readonly prompts: Prompts
  readonly words: InboxWords
  view(): BoardView
  /** Shown once. */
  notice: string
}

/** Does something through the board; a failure becomes the notice. Who presses on meanwhile has chosen nothing. */
export async function attempt(context: Context, work: () => Promise<void>, done: string): Promise<void> {
  try {
    await work()
    context.notice = done
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    context.notice = line(error.message)
  }
  context.screen.forgetKeys()
}

/** On one line of the screen. */
export function fitting({ screen }: Context, text: string): string {
  return fitColumns(text, Math.max(10, screen.columns() - (screen.isRoomy() ? FRAMED_MARGIN : MARGIN)))
}

/** As many rows as a message may have above so many entries. */
export function roomAbove({ screen }: Context, entries: number): number {
  return Math.max(1, screen.rows() - entries - (screen.isRoomy() ? FRAMED_ROWS : ROWS))
}

/** Text from outside in lines as wide as the screen. */
export function wrapped({ screen }: Context, text: string): readonly string[] {
  return plainLines(text).flatMap((each) => wrapColumns(each, Math.max(10, screen.columns() - MARGIN)))
}

/** All of a text, on the ordinary screen. */
export async function readAll({ screen, prompts }: Context, text: string): Promise<void> {
  screen.printAside(`${plainLines(text).join('\r\n').trimEnd()}\r\n`)
  await prompts.goOn()
}
