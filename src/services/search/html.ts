// HTML and XML as a tree of bounded size and depth, queried with CSS selectors.

import { is, selectAll, selectOne } from 'css-select'
import { DomHandler, DomUtils, Parser } from 'htmlparser2'

export type Element = Parameters<typeof DomUtils.getAttributeValue>[0]
export type Node = Element | DomHandler['root']

/** More than a result page has. Querying a large tree blocks the event loop. */
const MAX_ELEMENTS = 12_000
/** Deeper than any result page. The cost of parsing and querying grows with the depth. */
const MAX_DEPTH = 256

/** Parses up to the limits of size and depth. */
export function parsed(html: string): Node {
  return treeOf(html, false)
}

export function parsedXml(xml: string): Node {
  return treeOf(xml, true)
}

function treeOf(text: string, xmlMode: boolean): Node {
  const handler = new ShallowHandler()
  const parser = new Parser(handler, { xmlMode })
  handler.stop = () => parser.pause()
  parser.end(text)
  return handler.root
}

class ShallowHandler extends DomHandler {
  stop = (): void => {}
  elements = 0

  override onopentag(name: string, attributes: Record<string, string>): void {
    if (this.tagStack.length > MAX_DEPTH || ++this.elements > MAX_ELEMENTS) this.stop()
    else super.onopentag(name, attributes)
  }
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

/** Text content without scripts and styles, on one line. */
export function shownText(node: Node): string {
  // innerText of a document node itself is empty.
  return DomUtils.innerText(node.children).replaceAll(/\s+/g, ' ').trim()
}
