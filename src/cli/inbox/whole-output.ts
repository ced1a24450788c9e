// Everything a job has printed by now, for a terminal that is scrolled: of a very long output, its end.

import type { Board, OfServer } from '../../services/board/board.js'
import { findLineStart, streamOutput, type ReadOutput } from '../../services/board/output-stream.js'

/** Terminals keep a few thousand lines: more would only delay the end. */
const MAX_BYTES = 8 * 1024 * 1024

export interface WholeOutput {
  readonly text: string
  /** Bytes before the text that are not in it. */
  readonly skippedBytes: number
}

export async function readWholeOutput(
  board: Board,
  job: OfServer,
  missingLine: (bytes: number) => string,
): Promise<WholeOutput> {
  const read: ReadOutput = (from, maxBytes) => board.readOutput(job, from, maxBytes)
  const { size } = await read(0, 0)
  const first = await findLineStart(read, size - MAX_BYTES)
  let text = ''
  for (let next = first; next < size;) {
    const from = next
    const stop = new AbortController()
    for await (const event of streamOutput(read, { from }, stop.signal)) {
      if (event.missing > 0) text += `${missingLine(event.missing)}\n`
      next = event.next
      const isEnough = next >= size
      text += event.text + (isEnough ? event.open : '')
      // What is printed from now on is not waited for.
      if (isEnough) stop.abort()
    }
    if (next === from) break
  }
  return { text, skippedBytes: first }
}
