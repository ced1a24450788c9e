// Reads the output of a job in batches of rendered lines. A batch ends at a line end, so that no line is split.

import { createScreen } from '../../lib/screen/screen.js'
import { isContinuation, unfinishedCharacter } from '../../lib/utf8.js'
import type { OutputReader } from '../../store/output-reader.js'

export const READ_CHUNK_BYTES = 256 * 1024
const NEWLINE = 10

export interface Piece {
  readonly lines: readonly string[]
  /** Offset of the next batch. */
  readonly next: number
  /** Bytes before it that are no longer stored. */
  readonly droppedBytes: number
  /** The last line may grow and is repeated in the next batch. */
  readonly isOpen: boolean
}

/** Lines from an offset on. The last batch may end with an incomplete line; `next` then stays before that line. */
export async function* piecesFrom(output: OutputReader, start: number): AsyncGenerator<Piece> {
  const end = await output.size()
  for (let from = start; from < end;) {
    const read = await output.read(from, READ_CHUNK_BYTES)
    if (read.bytes.length === 0) return
    const isLast = read.from + read.bytes.length >= end
    const wholeLines = read.bytes.lastIndexOf(NEWLINE) + 1
    // A line longer than a chunk is split.
    const length = wholeLines > 0 ? wholeLines : read.bytes.length - unfinishedCharacter(read.bytes)
    const droppedBytes = read.from - from
    const shown = isLast ? read.bytes : read.bytes.subarray(0, length)
    const next = read.from + (isLast ? wholeLines : length)
    const isOpen = isLast && wholeLines < read.bytes.length
    yield { lines: linesOf(droppedBytes > 0 ? withoutHalf(shown) : shown), next, droppedBytes, isOpen }
    if (isLast) return
    from = next
  }
}

/** Bytes after a gap may begin inside a character. */
export function withoutHalf(bytes: Buffer): Buffer {
  let at = 0
  while (at < 3 && isContinuation(bytes[at] ?? 0)) at++
  return bytes.subarray(at)
}

function linesOf(bytes: Buffer): readonly string[] {
  const parts: Buffer[] = []
  const screen = createScreen((text) => void parts.push(text))
  screen.write(bytes)
  screen.end()
  const lines = Buffer.concat(parts).toString().split('\n')
  if (lines.at(-1) === '') lines.pop()
  return lines
}
