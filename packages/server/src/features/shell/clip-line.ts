// Clips a long line to a number of characters and states how many were left out: in the middle or, given a position,
// around that position. Used where output is shown: output-renderer, head-and-tail and read-job-output. Pure.

import { formatNumber } from '../../text/format.js'

export const MAX_LINE = 2000

export interface ClippedLine {
  /** At most `max` characters, including the notes about omitted text. */
  readonly text: string
  /** The omitted parts. */
  readonly omitted: readonly string[]
}

export function clipLine(line: string, max = MAX_LINE, position = 0): ClippedLine {
  if (line.length <= max) return { text: line, omitted: [] }
  // The note of the whole length is the longest possible note.
  const available = Math.max(max - 2 * omissionNote(line.length).length, 0)
  const half = Math.floor(available / 2)
  if (position < half || position >= line.length - half) {
    const [start, end] = [characterBoundary(line, half), characterBoundary(line, line.length - half)]
    const omitted = line.slice(start, end)
    return { text: `${line.slice(0, start)}${omissionNote(omitted.length)}${line.slice(end)}`, omitted: [omitted] }
  }
  const start = characterBoundary(line, position - half)
  const end = characterBoundary(line, Math.min(start + available, line.length))
  const omitted = [line.slice(0, start), line.slice(end)]
  return { text: `${omissionNote(start)}${line.slice(start, end)}${omissionNote(line.length - end)}`, omitted }
}

/** Returns the index, or the index before it if it is inside a surrogate pair. */
export function characterBoundary(text: string, index: number): number {
  const isInsidePair = (text.charCodeAt(index - 1) & 0xfc00) === 0xd800 && (text.charCodeAt(index) & 0xfc00) === 0xdc00
  return isInsidePair ? index - 1 : index
}

function omissionNote(count: number): string {
  return count === 0 ? '' : `[… ${formatNumber(count)} characters left out …]`
}
