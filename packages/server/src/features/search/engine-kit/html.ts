// HTML and XML as a tree of bounded size and depth, queried with CSS selectors.

import { is, selectAll, selectOne } from 'css-select'
import { DomHandler, DomUtils, Parser } from 'htmlparser2'

export type ResultElement = Parameters<typeof DomUtils.getAttributeValue>[0]
export type ResultNode = ResultElement | DomHandler['root']

/** More than a result page has. Querying a large tree blocks the event loop. */
const MAX_ELEMENTS = 12_000
/** Deeper than any result page. The cost of parsing and querying grows with the depth. */
const MAX_DEPTH = 256

/** Parses up to the limits of size and depth. */
export function parseResultHtml(html: string): ResultNode {
  return parseTree(html, false)
}

export function parseResultXml(xml: string): ResultNode {
  return parseTree(xml, true)
}

function parseTree(text: string, xmlMode: boolean): ResultNode {
  const handler = new DepthLimitedHandler()
  const parser = new Parser(handler, { xmlMode })
  handler.stop = () => parser.pause()
  parser.end(text)
  return handler.root
}

class DepthLimitedHandler extends DomHandler {
  stop = (): void => {}
  elements = 0

  override onopentag(name: string, attributes: Record<string, string>): void {
    if (this.tagStack.length > MAX_DEPTH || ++this.elements > MAX_ELEMENTS) this.stop()
    else super.onopentag(name, attributes)
  }
}

export function selectElements(selector: string, within: ResultNode): readonly ResultElement[] {
  return selectAll<ResultNode, ResultElement>(selector, within)
}

export function selectFirstElement(selector: string, within: ResultNode): ResultElement | undefined {
  return selectOne<ResultNode, ResultElement>(selector, within) ?? undefined
}

export function matchesSelector(element: ResultElement, selector: string): boolean {
  return is<ResultNode, ResultElement>(element, selector)
}

export function readAttribute(element: ResultElement, name: string): string | undefined {
  return DomUtils.getAttributeValue(element, name)
}

/** Text content without scripts and styles, on one line. */
export function elementText(node: ResultNode): string {
  // innerText of a document node itself is empty.
  return DomUtils.innerText(node.children).replaceAll(/\s+/g, ' ').trim()
}
