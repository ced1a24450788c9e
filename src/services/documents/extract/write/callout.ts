// Boxes beside the text that warn or advise, by the names that generators of documentation give them.

import { attribute, isElement, plainText, type Element, type Node } from '../tree.js'

export interface Callout {
  readonly kind: 'NOTE' | 'TIP' | 'IMPORTANT' | 'WARNING' | 'CAUTION'
  /** '' where it says no more than the kind. */
  readonly title: string
  readonly nodes: readonly Node[]
}

const BOX =
  /(?:^|\s)(?:admonition|theme-admonition|markdown-alert|callout|alert|custom-block|notecard|hint|starlight-aside|aside|docs-callout|message-box|infobox-note)(?:$|\s|-|_)/
const BARE = /^(?:note|tip|important|warning|caution|danger|info)(?:box|-box)?$/
const KINDS: readonly [RegExp, Callout['kind']][] = [
  [/(?:^|[\s_-])(?:caution|danger|error|bug|failure|critical)(?:$|[\s_-])/, 'CAUTION'],
  [/(?:^|[\s_-])(?:warning|warn|attention|deprecated|experimental)(?:$|[\s_-])/, 'WARNING'],
  [/(?:^|[\s_-])(?:important|secondary|versionchanged)(?:$|[\s_-])/, 'IMPORTANT'],
  [/(?:^|[\s_-])(?:tip|hint|success|check|example)(?:$|[\s_-])/, 'TIP'],
  [/(?:^|[\s_-])(?:note|info|seealso|see-also|abstract|question|quote|default|primary)(?:$|[\s_-])/, 'NOTE'],
]

export function calloutOf(element: Element): Callout | undefined {
  if (!('class' in element.attribs) || !/^(?:div|aside|blockquote|section|p)$/.test(element.name)) return undefined
  const names = attribute(element, 'class').toLowerCase().slice(0, 300)
  if (!BOX.test(names) && !names.split(/\s+/).some((name) => BARE.test(name))) return undefined
  const kind = KINDS.find(([pattern]) => pattern.test(names.replace(/\b(?:markdown|theme)-/g, '')))?.[1]
  return kind === undefined ? undefined : { kind, ...titled(element) }
}

function titled(element: Element): { title: string; nodes: readonly Node[] } {
  const first = element.children.find((child) => plainText(child) !== '')
  if (first === undefined || !isElement(first) || !isTitle(first)) return { title: '', nodes: element.children }
  const title = plainText(first)
  const saysKind = /^\W*(?:note|tip|hint|important|warning|caution|danger|info|attention)\W*$/i.test(title)
  return { title: saysKind ? '' : title, nodes: element.children.filter((child) => child !== first) }
}

function isTitle(element: Element): boolean {
  return /(?:title|heading|label)/i.test(attribute(element, 'class')) && plainText(element).length < 120
}

/** Whether it belongs to the text though it is called an aside. */
export function isCallout(element: Element): boolean {
  return calloutOf(element) !== undefined
}
