// Parsed HTML and XML trees with helpers. The nesting depth is limited, so that other modules may recurse.

import { DomHandler, DomUtils } from 'htmlparser2'

import { DepthLimitedParser } from './depth-limited-parser.js'

export type DomTree = DomHandler['root']
export type DomNode = DomTree['children'][number]
export type DomElement = Extract<DomNode, { attribs: Record<string, string> }>
export type DomParent = DomTree | DomElement

export function parseHtmlTree(html: string): DomTree {
  // In HTML, as in browsers, a CDATA section ends at the next `>`; the parser would search for `]]>` and drop the page.
  return parseMarkup(html.includes('<![CDATA[') ? html.replaceAll('<![CDATA[', '<!CDATA[') : html, false)
}

export function parseXmlTree(xml: string): DomTree {
  return parseMarkup(xml, true)
}

function parseMarkup(text: string, xmlMode: boolean): DomTree {
  const handler = new DomHandler()
  const parser: DepthLimitedParser = new DepthLimitedParser(
    {
      onopentag(name, attribs) {
        if (!parser.isFlattened) handler.onopentag(name, attribs)
      },
      onclosetag() {
        if (parser.closeElement()) handler.onclosetag()
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

export function isElement(node: DomNode | DomTree | null): node is DomElement {
  return node !== null && DomUtils.isTag(node)
}

export function isTextNode(node: DomNode | DomTree): node is Extract<DomNode, { data: string }> {
  return DomUtils.isText(node)
}

export function childElements(parent: DomParent): DomElement[] {
  return parent.children.filter(isElement)
}

/** All elements below, in document order. */
export function descendantElements(parent: DomParent): DomElement[] {
  const found: DomElement[] = []
  collectElements(parent, found)
  return found
}

function collectElements(parent: DomParent, found: DomElement[]): void {
  for (const child of parent.children) {
    if (!isElement(child)) continue
    found.push(child)
    collectElements(child, found)
  }
}

export function findElement(parent: DomParent, predicate: (element: DomElement) => boolean): DomElement | undefined {
  for (const child of parent.children) {
    if (!isElement(child)) continue
    const found = predicate(child) ? child : findElement(child, predicate)
    if (found !== undefined) return found
  }
  return undefined
}

export function replaceChildren(parent: DomParent, children: DomNode[]): void {
  parent.children = children
  for (const [at, child] of children.entries()) {
    child.parent = parent
    child.prev = children[at - 1] ?? null
    child.next = children[at + 1] ?? null
  }
}

export function getAttribute(element: DomElement, name: string): string {
  return element.attribs[name] ?? ''
}

/** The unchanged text of a node. */
export function rawText(node: DomNode | DomTree): string {
  if (isTextNode(node)) return node.data
  if (!('children' in node)) return ''
  let text = ''
  for (const child of node.children) text += rawText(child)
  return text
}

/** The text of a node with collapsed whitespace. */
export function singleLineText(node: DomNode | DomTree): string {
  return rawText(node).replace(/\s+/g, ' ').trim()
}

export function serializeHtml(node: DomNode | DomTree): string {
  return DomUtils.getOuterHTML(node)
}
