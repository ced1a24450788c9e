// `scorpiox-code inbox`: the console in a terminal, interactive and localized. Without a terminal, or with --once or --json,
// it is printed once.

import { setTimeout as sleep } from 'node:timers/promises'

import type { Config } from '../config/load.js'
import { osUser } from '../platform/user.js'
import type { Board } from '../services/board/board.js'
import { openBoards } from '../services/board/open-boards.js'
import { lazyState } from '../services/state.js'
import { openFullScreen } from './inbox/full-screen.js'
import { inboxWords, type InboxWords } from './inbox/language.js'
import { createPrompts } from './inbox/prompts.js'
import { report, reportJson } from './inbox/report.js'
import { walk } from './inbox/rooms.js'
import { NOTHING, openSight } from './inbox/sight.js'
import { readWholeView } from './inbox/whole-view.js'
import { hangUp, HUNG_UP, nextSignal, print, terminalStreams, type Streams } from './terminal.js'

/** Time for the servers to send their state after the connection. */
const SETTLE_MS = 200
/** Maximum time to wait for closing before the process exits. */
const CLOSE_MS = 500

export interface InboxOptions {
  readonly json?: boolean | undefined
  readonly once?: boolean | undefined
  /** No bell for new questions. */
  readonly quiet?: boolean | undefined
  readonly lang?: string | undefined
}

export async function inboxFromTerminal(config: Config, options: InboxOptions): Promise<number> {
  const exitCode = await showInbox(config, options)
  return exitCode === HUNG_UP ? hangUp() : exitCode
}

async function showInbox(config: Config, { json, once, quiet, lang }: InboxOptions): Promise<number> {
  const translator = inboxWords(lang, config.childEnv)
  const consoles = openBoards({ config, state: lazyState(config), own: undefined })
  const board = consoles.of(osUser(), true)
  const streams = json || once || config.childEnv.TERM === 'dumb' ? undefined : terminalStreams()
  try {
    return await (streams
      ? runInteractive(board, streams, translator, quiet ?? false)
      : printOnce(board, translator, json ?? false))
  } finally {
    await Promise.race([consoles.close(), sleep(CLOSE_MS)])
  }
}

async function printOnce(board: Board, translator: InboxWords, json: boolean): Promise<number> {
  const followed = openSight(board)
  // Keeps the process alive until the view arrives.
  const keepAlive = setInterval(() => {}, 60_000)
  try {
    const firstView = await Promise.race([followed.first, nextSignal()])
    if (typeof firstView === 'number') return firstView
    await sleep(SETTLE_MS)
    const view = await readWholeView(board, followed.view() ?? firstView)
    await print(json ? reportJson(view) : report(view, translator, Date.now()))
    return 0
  } finally {
    clearInterval(keepAlive)
    followed.close()
  }
}

async function runInteractive(
  board: Board,
  streams: Streams,
  translator: InboxWords,
  isQuiet: boolean,
): Promise<number> {
  const screen = openFullScreen(streams)
  const followed = openSight(board, () => {
    if (!isQuiet) screen.ring()
  })
  const view = () => followed.view() ?? NOTHING
  try {
    const prompts = await createPrompts(screen, translator)
    const menuClosed = followed.first
      .then(() => walk({ board, screen, prompts, words: translator, view, notice: '' }))
      .then(() => 0)
    return await Promise.race([screen.over, menuClosed])
  } finally {
    followed.close()
    screen.leave()
  }
}
