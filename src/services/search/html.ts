// Pages as trees, looked into by CSS selectors.

import { is, selectAll, selectOne } from 'css-select'
import { DomUtils, parseDocument } from 'htmlparser2'

export type Element = Parameters<typeof DomUtils.getAttributeValue>[0]
export type Node = Element | ReturnType<typeof parseDocument>

export function parsed(html: string): Node {
  return parseDocument(html)
}

export function parsedXml(xml: string): Node {
  return parseDocument(xml, { xmlMode: true })
}

export function all(selector: string, within: Node): readonly Element[] {
  return selectAll<Node, Element>(selector, within)
}

export function first(selector: string, within: Node): Element | undefined {
  return selectOne<Node, Element>(selector, within) ?? undefined
}

export function fits(element: Element, selector: string): boolean {
  return is<Node, Element>(element, selector)
}

export function attribute(element: Element, name: string): string | undefined {
  return DomUtils.getAttributeValue(element, name)
}

/** Without scripts and styles, on one line. */
export function shownText(node: Node): string {
  // Of a whole document only the children count as text.
  return DomUtils.innerText(node.children).replaceAll(/\s+/g, ' ').trim()
}
