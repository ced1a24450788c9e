// Categories of HTML elements: block-level, without readable text, headings.

import { type DomElement, getAttribute, singleLineText } from './tree.js'
import { trimSuffixes } from './trim-text.js'

const BLOCK_TAGS = new Set(
  'address article aside blockquote body button caption center dd details dialog div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup html legend li main menu nav ol p pre search section summary table tbody td tfoot th thead tr ul'.split(
    ' ',
  ),
)
/** Their content is not text of the page. */
const NON_TEXT_TAGS = new Set(
  'script style noscript template title svg iframe object select option datalist textarea video audio canvas map'.split(
    ' ',
  ),
)
const HEADING_TAGS = new Set(['h1', 'h2', 'h3', 'h4', 'h5', 'h6'])

export function isBlockTag(name: string): boolean {
  return BLOCK_TAGS.has(name)
}

export function isNonTextTag(name: string): boolean {
  return NON_TEXT_TAGS.has(name)
}

export function isHeading(element: DomElement): boolean {
  return HEADING_TAGS.has(element.name)
}

/** The text of a heading without the symbol that links to it. */
export function headingText(heading: DomElement): string {
  return trimSuffixes(singleLineText(heading), ['¶', '#', '§', '🔗']).trimEnd()
}

export function classAndId(element: DomElement): string {
  return `${getAttribute(element, 'class')} ${getAttribute(element, 'id')}`.toLowerCase()
}
