// Parsed HTML and XML trees with helpers. The nesting depth is limited, so that other modules may recurse.

import { DomHandler, DomUtils } from 'htmlparser2'

import { ShallowParser } from './shallow-parser.js'

export type Tree = DomHandler['root']
export type Node = Tree['children'][number]
export type Element = Extract<Node, { attribs: Record<string, string> }>
export type Parent = Tree | Element

export function parseTree(html: string): Tree {
  // In HTML, as in browsers, a CDATA section ends at the next `>`; the parser would search for `]]>` and drop the page.
  return parseMarkup(html.includes('<![CDATA[') ? html.replaceAll('<![CDATA[', '<!CDATA[') : html, false)
}

export function parseXml(xml: string): Tree {
  return parseMarkup(xml, true)
}

function parseMarkup(text: string, xmlMode: boolean): Tree {
  const handler = new DomHandler()
  const parser: ShallowParser = new ShallowParser(
    {
      onopentag(name, attribs) {
        if (!parser.isFlat) handler.onopentag(name, attribs)
      },
      onclosetag() {
        if (parser.closes()) handler.onclosetag()
      },
      ontext: (data) => handler.ontext(data),
      onend: () => handler.onend(),
      onerror: (error) => handler.onerror(error),
    },
    xmlMode ? { xmlMode } : { decodeEntities: true, lowerCaseTags: true, lowerCaseAttributeNames: true },
  )
  handler.onparserinit(parser)
  parser.end(text)
  return handler.root
}

export function isElement(node: Node | Tree | null): node is Element {
  return node !== null && DomUtils.isTag(node)
}

export function isText(node: Node | Tree): node is Extract<Node, { data: string }> {
  return DomUtils.isText(node)
}

export function elementsOf(parent: Parent): Element[] {
  return parent.children.filter(isElement)
}

/** All elements below, in document order. */
export function descendants(parent: Parent): Element[] {
  const found: Element[] = []
  collectElements(parent, found)
  return found
}

function collectElements(parent: Parent, found: Element[]): void {
  for (const child of parent.children) {
    if (!isElement(child)) continue
    found.push(child)
    collectElements(child, found)
  }
}

export function find(parent: Parent, predicate: (element: Element) => boolean): Element | undefined {
  for (const child of parent.children) {
    if (!isElement(child)) continue
    const found = predicate(child) ? child : find(child, predicate)
    if (found !== undefined) return found
  }
  return undefined
}

export function relink(parent: Parent, children: Node[]): void {
  parent.children = children
  for (const [at, child] of children.entries()) {
    child.parent = parent
    child.prev = children[at - 1] ?? null
    child.next = children[at + 1] ?? null
  }
}

export function attribute(element: Element, name: string): string {
  return element.attribs[name] ?? ''
}

/** The unchanged text of a node. */
export function rawText(node: Node | Tree): string {
  if (isText(node)) return node.data
  if (!('children' in node)) return ''
  let text = ''
  for (const child of node.children) text += rawText(child)
  return text
}

/** The text of a node with collapsed whitespace. */
export function plainText(node: Node | Tree): string {
  return rawText(node).replace(/\s+/g, ' ').trim()
}

export function toHtml(node: Node | Tree): string {
  return DomUtils.getOuterHTML(node)
}
