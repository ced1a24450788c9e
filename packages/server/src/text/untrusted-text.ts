// Wraps untrusted text between two lines with a random marker, so that the text cannot end the block. Lines that imitate
// these two lose their dashes.

import { randomBytes } from 'node:crypto'

import { removeInvisible, removeNoncharacters } from './invisible-characters.js'
import { toSingleLine } from './single-line.js'

const MARKER_BYTES = 8

/** `--- 0123456789abcdef …` or `--- untrusted content …`, also with characters that resemble dashes. */
const IMITATED_MARKER = /^[^\p{L}\p{N}\n]{2,60}(?=[0-9a-f]{12,}\b|untrusted content\b)/gimu
const DASH = /[-\p{Pd}\u2212]/gu

export function wrapUntrusted(text: string): string {
  const content = removeInvisible(removeNoncharacters(text)).replace(IMITATED_MARKER, replaceDashes)
  const marker = createMarker(content)
  return `--- untrusted content; ends at marker ${marker} ---\n${content}\n--- ${marker} end ---`
}

/**
 * Quotes one line of untrusted text inside a sentence of ours. Brackets and quotation marks are replaced, because ours
 * delimit messages: the line cannot end its quotation or begin another message.
 */
export function quoteUntrustedLine(text: string, maxLength: number): string {
  const line = toSingleLine(removeInvisible(removeNoncharacters(text)), maxLength)
  return `"${line.replaceAll(OPENING, '(').replaceAll(CLOSING, ')').replaceAll(QUOTE, "'")}"`
}

// Also characters that resemble them.
const OPENING = /[[\u27E6\u2045\uFF3B\u3010\u3014\u301A]/g
const CLOSING = /[\]\u27E7\u2046\uFF3D\u3011\u3015\u301B]/g
const QUOTE = /["\u201C-\u201F\u2033\uFF02]/g

/** A single dash starts a list item and is kept. */
function replaceDashes(line: string): string {
  return (line.match(DASH) ?? []).length < 2 ? line : line.replace(DASH, '·')
}

function createMarker(text: string): string {
  const marker = randomBytes(MARKER_BYTES).toString('hex')
  return text.includes(marker) ? createMarker(text) : marker
}
