// Clips a long line to a number of characters and says how many it left out: in the middle or, where a place in the line
// matters, around that place.

export const MAX_LINE = 2000

export interface ClippedLine {
  /** At most `max` characters, the notes about what is left out included. */
  readonly text: string
  /** What is left out. */
  readonly omitted: readonly string[]
}

export function clipLine(line: string, max = MAX_LINE, around = 0): ClippedLine {
  if (line.length <= max) return { text: line, omitted: [] }
  // No count of characters that are left out is longer than that of the whole line.
  const room = Math.max(max - 2 * noteOf(line.length).length, 0)
  const half = Math.floor(room / 2)
  if (around < half || around >= line.length - half) {
    const [start, end] = [boundary(line, half), boundary(line, line.length - half)]
    const omitted = line.slice(start, end)
    return { text: `${line.slice(0, start)}${noteOf(omitted.length)}${line.slice(end)}`, omitted: [omitted] }
  }
  const start = boundary(line, around - half)
  const end = boundary(line, Math.min(start + room, line.length))
  const omitted = [line.slice(0, start), line.slice(end)]
  return { text: `${noteOf(start)}${line.slice(start, end)}${noteOf(line.length - end)}`, omitted }
}

/** The place itself, or the one before it where it is inside a surrogate pair. */
export function boundary(text: string, at: number): number {
  const isInsidePair = (text.charCodeAt(at - 1) & 0xfc00) === 0xd800 && (text.charCodeAt(at) & 0xfc00) === 0xdc00
  return isInsidePair ? at - 1 : at
}

export function grouped(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ',')
}

function noteOf(count: number): string {
  return count === 0 ? '' : `[… ${grouped(count)} characters left out …]`
}
