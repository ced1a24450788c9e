// Wraps untrusted text between two lines with a random marker, so that the text cannot end the block. Lines that imitate
// these two lose their dashes.

import { randomBytes } from 'node:crypto'

import { removeInvisible, removeNoncharacters } from './invisible-characters.js'

const MARKER_BYTES = 8

/** `--- 0123456789abcdef …` or `--- untrusted content …`, also with characters that resemble dashes. */
const IMITATED_MARKER = /^[^\p{L}\p{N}\n]{2,60}(?=[0-9a-f]{12,}\b|untrusted content\b)/gimu
const DASH = /[-\p{Pd}\u2212]/gu

export function wrapUntrusted(text: string): string {
  const content = removeInvisible(removeNoncharacters(text)).replace(IMITATED_MARKER, replaceDashes)
  const marker = createMarker(content)
  return `--- untrusted content; ends at marker ${marker} ---\n${content}\n--- ${marker} end ---`
}

/** A single dash starts a list item and is kept. */
function replaceDashes(line: string): string {
  return (line.match(DASH) ?? []).length < 2 ? line : line.replace(DASH, '·')
}

function createMarker(text: string): string {
  const marker = randomBytes(MARKER_BYTES).toString('hex')
  return text.includes(marker) ? createMarker(text) : marker
}
