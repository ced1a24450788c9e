// `scorpiox-code inbox`: the board in a terminal, to look and to answer. Where there is no terminal, or only a look is
// wanted, it is printed once.

import type { Board } from '../services/board/board.js'
import type { Flags } from './args.js'
import { openFullScreen } from './inbox/full-screen.js'
import { createPrompts } from './inbox/prompts.js'
import { report, reportJson } from './inbox/report.js'
import { walk } from './inbox/rooms.js'
import { NOTHING, openSight } from './inbox/sight.js'
import { nextSignal, print, terminalStreams, type Streams } from './terminal.js'

/** `kind` is what the environment says of the terminal. */
export async function inboxFromTerminal(
  board: Board,
  { json, once, quiet }: Flags,
  kind: string | undefined,
): Promise<number> {
  const streams = terminalStreams()
  if (!streams || json || once || kind === 'dumb') return printOnce(board, json ?? false)
  return live(board, streams, quiet ?? false)
}

async function printOnce(board: Board, json: boolean): Promise<number> {
  const sight = openSight(board)
  // Nothing else need keep the process until the board was seen.
  const staying = setInterval(() => {}, 60_000)
  try {
    const seen = await Promise.race([sight.first, nextSignal()])
    if (typeof seen === 'number') return seen
    await print(json ? reportJson(seen) : report(seen, Date.now()))
    return 0
  } finally {
    clearInterval(staying)
    sight.close()
  }
}

async function live(board: Board, streams: Streams, isQuiet: boolean): Promise<number> {
  const screen = openFullScreen(streams)
  const sight = openSight(board, () => {
    if (!isQuiet) screen.ring()
  })
  const view = () => sight.view() ?? NOTHING
  try {
    const prompts = await createPrompts(screen)
    const walked = sight.first.then(() => walk({ board, screen, prompts, view, notice: '' })).then(() => 0)
    return await Promise.race([screen.over, walked])
  } finally {
    sight.close()
    screen.leave()
  }
}
