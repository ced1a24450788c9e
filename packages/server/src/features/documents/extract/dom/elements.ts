// Categories of HTML elements: block-level, without readable text, headings, callouts (note, tip, warning …). Used by the
// classifier and the writers. Pure.

import { type DomElement, type DomNode, getAttribute, isElement, singleLineText } from './tree.js'
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

interface Callout {
  readonly kind: 'NOTE' | 'TIP' | 'IMPORTANT' | 'WARNING' | 'CAUTION'
  /** '' if it only repeats the kind. */
  readonly title: string
  readonly nodes: readonly DomNode[]
}

const BOX_CLASSES =
  /(?:^|\s)(?:admonition|theme-admonition|markdown-alert|callout|alert|custom-block|notecard|hint|starlight-aside|aside|docs-callout|message-box|infobox-note)(?:$|\s|-|_)/
const BARE_CLASSES = /^(?:note|tip|important|warning|caution|danger|info)(?:box|-box)?$/
const KIND_CLASSES: readonly [RegExp, Callout['kind']][] = [
  [/(?:^|[\s_-])(?:caution|danger|error|bug|failure|critical)(?:$|[\s_-])/, 'CAUTION'],
  [/(?:^|[\s_-])(?:warning|warn|attention|deprecated|experimental)(?:$|[\s_-])/, 'WARNING'],
  [/(?:^|[\s_-])(?:important|secondary|versionchanged)(?:$|[\s_-])/, 'IMPORTANT'],
  [/(?:^|[\s_-])(?:tip|hint|success|check|example)(?:$|[\s_-])/, 'TIP'],
  [/(?:^|[\s_-])(?:note|info|seealso|see-also|abstract|question|quote|default|primary)(?:$|[\s_-])/, 'NOTE'],
]

/** Detects callouts (note, tip, warning …) by the class names of documentation generators. */
export function parseCallout(element: DomElement): Callout | undefined {
  if (!('class' in element.attribs) || !/^(?:div|aside|blockquote|section|p)$/.test(element.name)) return undefined
  const classes = getAttribute(element, 'class').toLowerCase().slice(0, 300)
  if (!BOX_CLASSES.test(classes) && !classes.split(/\s+/).some((name) => BARE_CLASSES.test(name))) return undefined
  const kind = KIND_CLASSES.find(([pattern]) => pattern.test(classes.replace(/\b(?:markdown|theme)-/g, '')))?.[1]
  return kind === undefined ? undefined : { kind, ...splitTitle(element) }
}

function splitTitle(element: DomElement): { title: string; nodes: readonly DomNode[] } {
  const first = element.children.find((child) => singleLineText(child) !== '')
  if (first === undefined || !isElement(first) || !isTitle(first)) return { title: '', nodes: element.children }
  const title = singleLineText(first)
  const repeatsKind = /^\W*(?:note|tip|hint|important|warning|caution|danger|info|attention)\W*$/i.test(title)
  return { title: repeatsKind ? '' : title, nodes: element.children.filter((child) => child !== first) }
}

function isTitle(element: DomElement): boolean {
  return /(?:title|heading|label)/i.test(getAttribute(element, 'class')) && singleLineText(element).length < 120
}

/** A callout belongs to the text even if it is an aside. */
export function isCallout(element: DomElement): boolean {
  return parseCallout(element) !== undefined
}
