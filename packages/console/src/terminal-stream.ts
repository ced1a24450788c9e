// Streams the terminal of a job for a person's display, for the page (app/http/console-terminal) and the inbox
// (attach-screen): what is on it now, then everything as it is printed, each part with its size and without what a
// display must not obey. Reads through a function of the caller. Sets timers; no other I/O.

import { StringDecoder } from 'node:string_decoder'
import { setTimeout as sleep } from 'node:timers/promises'

import type { TerminalChunk } from '@scorpiox/server/features/shell/index'
import { createTerminalOutputFilter } from './filter-terminal-output.js'
import type { TerminalEvent } from './view.js'

/** Between two events, so that a program that prints single characters does not make thousands of them. */
const PAUSE_MS = 8

export type ReadTerminal = (from: number | undefined) => Promise<TerminalChunk>

/** Rejects with a Failure if the terminal cannot be read. */
export async function* streamTerminal(read: ReadTerminal, signal: AbortSignal): AsyncGenerator<TerminalEvent, void> {
  let toText = createDecoder()
  let next: number | undefined
  let shownSize = ''
  while (!signal.aborted) {
    const chunk = await read(next)
    const { cols, rows, setup, bytes, isRunning } = chunk
    const isReset = setup !== null
    if (isReset) toText = createDecoder()
    next = chunk.next
    const text = toText(Buffer.from(setup ?? '')) + toText(bytes)
    const size = `${cols}x${rows}`
    if (isReset || text !== '' || size !== shownSize || !isRunning)
      yield { isReset, cols, rows, text, isLast: !isRunning }
    if (!isRunning) return
    shownSize = size
    await sleep(PAUSE_MS, undefined, { signal }).catch(() => undefined)
  }
}

function createDecoder(): (bytes: Buffer) => string {
  const decoder = new StringDecoder()
  const filter = createTerminalOutputFilter()
  return (bytes) => filter.push(decoder.write(bytes))
}
