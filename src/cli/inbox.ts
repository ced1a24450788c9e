// `scorpiox-code inbox`: the board in a terminal, to look and to answer, in the person's language. Where there is no
// terminal, or only a look is wanted, it is printed once.

import { setTimeout as sleep } from 'node:timers/promises'

import type { Config } from '../config/load.js'
import { osUser } from '../platform/user.js'
import type { Board } from '../services/board/board.js'
import { openBoards } from '../services/board/open-boards.js'
import { lazyState } from '../services/state.js'
import type { Flags } from './args.js'
import { openFullScreen } from './inbox/full-screen.js'
import { inboxWords, type InboxWords } from './inbox/language.js'
import { createPrompts } from './inbox/prompts.js'
import { report, reportJson } from './inbox/report.js'
import { walk } from './inbox/rooms.js'
import { NOTHING, openSight } from './inbox/sight.js'
import { readWholeView } from './inbox/whole-view.js'
import { hangUp, HUNG_UP, nextSignal, print, terminalStreams, type Streams } from './terminal.js'

/** Servers say what they do soon after they were found. */
const SETTLE_MS = 200
/** Whoever leaves does not wait for the disk. */
const CLOSE_MS = 500

export async function inboxFromTerminal(config: Config, flags: Flags): Promise<number> {
  const exitCode = await show(config, flags)
  return exitCode === HUNG_UP ? hangUp() : exitCode
}

async function show(config: Config, { json, once, quiet, lang }: Flags): Promise<number> {
  const words = inboxWords(lang, config.childEnv)
  const boards = openBoards({ config, state: lazyState(config), own: undefined })
  const board = boards.of(osUser(), true)
  const streams = json || once || config.childEnv.TERM === 'dumb' ? undefined : terminalStreams()
  try {
    return await (streams ? live(board, streams, words, quiet ?? false) : printOnce(board, words, json ?? false))
  } finally {
    await Promise.race([boards.close(), sleep(CLOSE_MS)])
  }
}

async function printOnce(board: Board, words: InboxWords, json: boolean): Promise<number> {
  const sight = openSight(board)
  // Nothing else need keep the process until the board was seen.
  const staying = setInterval(() => {}, 60_000)
  try {
    const seen = await Promise.race([sight.first, nextSignal()])
    if (typeof seen === 'number') return seen
    await sleep(SETTLE_MS)
    const view = await readWholeView(board, sight.view() ?? seen)
    await print(json ? reportJson(view) : report(view, words, Date.now()))
    return 0
  } finally {
    clearInterval(staying)
    sight.close()
  }
}

async function live(board: Board, streams: Streams, words: InboxWords, isQuiet: boolean): Promise<number> {
  const screen = openFullScreen(streams)
  const sight = openSight(board, () => {
    if (!isQuiet) screen.ring()
  })
  const view = () => sight.view() ?? NOTHING
  try {
    const prompts = await createPrompts(screen, words)
    const walked = sight.first.then(() => walk({ board, screen, prompts, words, view, notice: '' })).then(() => 0)
    return await Promise.race([screen.over, walked])
  } finally {
    sight.close()
    screen.leave()
  }
}
