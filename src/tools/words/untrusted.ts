// Puts what others wrote between two lines with a random marker: whatever the text says, it cannot end the quotation, and
// the model is told that it is one. A line that imitates those two loses its dashes.

import { randomBytes } from 'node:crypto'

import { visibleText, withoutMarks } from '../../lib/visible-text.js'

const MARKER_BYTES = 8

/** `--- 0123456789abcdef …` or `--- untrusted content …`, with whatever may be taken for those dashes. */
const IMITATION = /^[^\p{L}\p{N}\n]{2,60}(?=[0-9a-f]{12,}\b|untrusted content\b)/gimu
const DASH = /[-\p{Pd}\u2212]/gu

export function untrusted(text: string): string {
  const inside = visibleText(withoutMarks(text)).replace(IMITATION, disarmed)
  const marker = unguessable(inside)
  return `--- untrusted content; ends at marker ${marker} ---\n${inside}\n--- ${marker} end ---`
}

/** A single dash only begins an item of a list. */
function disarmed(line: string): string {
  return (line.match(DASH) ?? []).length < 2 ? line : line.replace(DASH, '·')
}

function unguessable(text: string): string {
  const marker = randomBytes(MARKER_BYTES).toString('hex')
  return text.includes(marker) ? unguessable(text) : marker
}
