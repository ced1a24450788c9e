// The output of a job as lines of a screen, piece by piece: a piece ends where a line does, so that none is cut in two.

import { createScreen } from '../../lib/screen/screen.js'
import { isContinuation, unfinishedCharacter } from '../../lib/utf8.js'
import type { OutputReader } from '../../store/output-reader.js'

const PIECE = 256 * 1024
const NEWLINE = 10

export interface Piece {
  readonly lines: readonly string[]
  /** Where the next piece begins. */
  readonly next: number
  /** Bytes before it that were gone. */
  readonly droppedBytes: number
  /** More may be added to the last of the lines, and it comes again in the next piece. */
  readonly isOpen: boolean
}

/**
 * The lines from an offset on. The last piece may end with a line to which more will be added: it is given, and `next`
 * stays before it.
 */
export async function* piecesFrom(output: OutputReader, start: number): AsyncGenerator<Piece> {
  const end = await output.size()
  for (let from = start; from < end;) {
    const read = await output.read(from, PIECE)
    if (read.bytes.length === 0) return
    const isLast = read.from + read.bytes.length >= end
    const whole = read.bytes.lastIndexOf(NEWLINE) + 1
    // A line longer than a piece is taken in parts.
    const length = whole > 0 ? whole : read.bytes.length - unfinishedCharacter(read.bytes)
    const droppedBytes = read.from - from
    const shown = isLast ? read.bytes : read.bytes.subarray(0, length)
    const next = read.from + (isLast ? whole : length)
    const isOpen = isLast && whole < read.bytes.length
    yield { lines: linesOf(droppedBytes > 0 ? withoutHalf(shown) : shown), next, droppedBytes, isOpen }
    if (isLast) return
    from = next
  }
}

/** What follows a gap may begin inside of a character. */
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
