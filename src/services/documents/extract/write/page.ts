// What the parts of the writer hand to each other while one page is written.

import type { Style } from './style.js'

export interface Page {
  readonly style: Style
  /** What its links are relative to. */
  readonly base: string
  /** In how many quotes and lists it stands; each writes its text anew, behind its sign. */
  readonly nesting: number
  /** Its footnotes, by the id that marks lead to. */
  readonly footnotes: ReadonlyMap<string, string>
  /** The headings met so far; the writer leaves their number in the text, see `headingSign`. */
  readonly headings: { level: number; title: string; id: string }[]
}

// No text has these: whoever writes a page takes them out first. They fit into one byte, as most pages do.
const OPEN = '\x01'
const CLOSE = '\x02'
export const BREAK = '\x03'
const SIGN = new RegExp(`${OPEN}(\\d+)${CLOSE}`)

export function headingSign(index: number): string {
  return `${OPEN}${index}${CLOSE}`
}

/** How many characters of a line are such a number. */
export function signLength(line: string): number {
  return line.startsWith(OPEN) ? line.indexOf(CLOSE) + 1 : 0
}

/** The text without the numbers, and in which line each was. */
export function takeSigns(text: string): { text: string; lines: Map<number, number> } {
  const lines = new Map<number, number>()
  const plain = text.split('\n').map((line, at) => {
    const index = SIGN.exec(line)?.[1]
    if (index === undefined) return line
    lines.set(Number(index), at)
    return line.replace(SIGN, '')
  })
  return { text: plain.join('\n'), lines }
}
