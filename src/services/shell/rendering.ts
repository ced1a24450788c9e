// Text a command prints, as a model reads it: what a terminal would show of it, within a number of characters.

import { createScreen } from '../../lib/screen/screen.js'
import { survey, type Survey } from '../../lib/screen/survey.js'
import { createHeadAndTail, type Shown } from './head-and-tail.js'

const SPACE = 0x20
const NEWLINE = 0x0a
const MAX_NEWEST = 200

export interface Rendering {
  write(bytes: Buffer, measured?: Survey): void
  /** Something is missing here. */
  skip(): void
  show(): Shown
  /** The last line with anything on it, no more than 200 characters of its end. */
  newestLine(): string
  /** How many bytes at the end are not whole characters or control sequences, and therefore not shown. */
  heldBack(): number
  /** How many bytes are kept, which has a bound. */
  retained(): number
}

export function createRendering(maxCharacters: number, maxLine: number): Rendering {
  const finished = createHeadAndTail(maxCharacters, maxLine)
  const screen = createScreen((bytes, measured) => finished.add(bytes, measured))
  return {
    write: (bytes, measured) => screen.write(bytes, measured),
    skip: () => finished.skip(),
    show() {
      const rest = screen.rest()
      return finished.show(rest, survey(rest))
    },
    newestLine: () => lastLineOf(screen.rest()),
    heldBack: () => screen.heldBack(),
    retained: () => finished.retained() + screen.rest().length,
  }
}

function lastLineOf(bytes: Buffer): string {
  let end = bytes.length
  while (end > 0 && (bytes[end - 1] ?? 0) <= SPACE) end--
  if (end === 0) return ''
  const start = bytes.lastIndexOf(NEWLINE, end - 1) + 1
  const line = bytes
    .toString('utf8', Math.max(start, end - MAX_NEWEST * 4), end)
    .trim()
    .slice(-MAX_NEWEST)
  return isLowSurrogate(line.charCodeAt(0)) ? line.slice(1) : line
}

function isLowSurrogate(unit: number): boolean {
  return (unit & 0xfc00) === 0xdc00
}
