// Reads the output of a job up to now for printing on the terminal; of a very long output, only the end.

import type { Board, OfServer } from '../../services/board/board.js'
import { findLineStart, streamOutput, type ReadOutput } from '../../services/board/output-stream.js'

/** Terminals keep only a few thousand lines of scrollback. */
const MAX_BYTES = 8 * 1024 * 1024

export interface WholeOutput {
  readonly text: string
  /** Bytes before the text that were skipped. */
  readonly skippedBytes: number
}

export async function readWholeOutput(
  board: Board,
  job: OfServer,
  missingLine: (bytes: number) => string,
): Promise<WholeOutput> {
  const read: ReadOutput = (from, maxBytes) => board.readOutput(job, from, maxBytes)
  const { size } = await read(0, 0)
  const startOffset = await findLineStart(read, size - MAX_BYTES)
  let text = ''
  for (let next = startOffset; next < size;) {
    const from = next
    const stop = new AbortController()
    for await (const event of streamOutput(read, { from }, stop.signal)) {
      if (event.missing > 0) text += `${missingLine(event.missing)}\n`
      next = event.next
      const isComplete = next >= size
      text += event.text + (isComplete ? event.open : '')
      // Do not wait for new output.
      if (isComplete) stop.abort()
    }
    if (next === from) break
  }
  return { text, skippedBytes: startOffset }
}
