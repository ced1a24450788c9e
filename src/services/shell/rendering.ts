// The text a terminal would show for given output, within a number of characters.

import { createScreen } from '../../lib/screen/screen.js'
import { survey, type Survey } from '../../lib/screen/survey.js'
import { createHeadAndTail, type Shown } from './head-and-tail.js'

const SPACE = 0x20
const NEWLINE = 0x0a
const MAX_NEWEST = 200

export interface Rendering {
  write(bytes: Buffer, measured?: Survey): void
  /** Bytes were lost here. */
  skip(): void
  show(): Shown
  /** Last 200 characters of the last line that is not blank. */
  newestLine(): string
  /** Bytes at the end that are part of an incomplete character or control sequence; they are not in the text yet. */
  heldBack(): number
  /** Bytes held in memory; bounded. */
  retained(): number
}

export function createRendering(maxCharacters: number, maxLine: number): Rendering {
  const truncated = createHeadAndTail(maxCharacters, maxLine)
  const screen = createScreen((bytes, measured) => truncated.add(bytes, measured))
  return {
    write: (bytes, measured) => screen.write(bytes, measured),
    skip: () => truncated.skip(),
    show() {
      const rest = screen.rest()
      return truncated.show(rest, survey(rest))
    },
    newestLine: () => lastLineOf(screen.rest()),
    heldBack: () => screen.heldBack(),
    retained: () => truncated.retained() + screen.rest().length,
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
