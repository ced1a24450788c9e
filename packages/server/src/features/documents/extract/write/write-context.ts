// State shared by the writers of one page, and the markers of headings in the text.

import type { OutputSyntax } from './output-syntax.js'

export interface WriteContext {
  readonly syntax: OutputSyntax
  /** Base URL of links. */
  readonly base: string
  /** Depth of quotes and lists; each level copies the text with a prefix. */
  readonly nesting: number
  /** Footnote labels by id. */
  readonly footnotes: ReadonlyMap<string, string>
  /** Headings written so far; the text contains the marker of each one (see `headingMarker`). */
  readonly headings: { level: number; title: string; id: string }[]
}

// Control characters, which are removed from the text of a page before it is written. They are in Latin-1, so that strings
// stay one byte per character.
const MARKER_START = '\x01'
const MARKER_END = '\x02'
export const LINE_BREAK_MARKER = '\x03'
const MARKER_PATTERN = new RegExp(`${MARKER_START}(\\d+)${MARKER_END}`)

export function headingMarker(index: number): string {
  return `${MARKER_START}${index}${MARKER_END}`
}

/** Length of the marker at the start of a line. */
export function markerLength(line: string): number {
  return line.startsWith(MARKER_START) ? line.indexOf(MARKER_END) + 1 : 0
}

/** Removes the markers and returns the line of each. */
export function extractMarkers(text: string): { text: string; lines: Map<number, number> } {
  const lines = new Map<number, number>()
  const plain = text.split('\n').map((line, at) => {
    const index = MARKER_PATTERN.exec(line)?.[1]
    if (index === undefined) return line
    lines.set(Number(index), at)
    return line.replace(MARKER_PATTERN, '')
  })
  return { text: plain.join('\n'), lines }
}
