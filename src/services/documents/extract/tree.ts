// A page as a tree, with bounds: what is nested too deep is made flat, so that everything after it may recurse. Scripts,
// styles and comments keep no text here; what scripts were to read is picked out on the way.

import { DomHandler, DomUtils } from 'htmlparser2'

import { ShallowParser } from './shallow-parser.js'

export type Tree = DomHandler['root']
export type Node = Tree['children'][number]
export type Element = Extract<Node, { attribs: Record<string, string> }>
export type Parent = Tree | Element

export function parseTree(html: string): Tree {
  // In HTML such a mark ends at the next `>`, as in browsers; the parser would look for `]]>` and swallow the page.
  return parsed(html.includes('<![CDATA[') ? html.replaceAll('<![CDATA[', '<!CDATA[') : html, false)
}

export function parseXml(xml: string): Tree {
  return parsed(xml, true)
}

function parsed(text: string, xmlMode: boolean): Tree {
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

/** All below, in the order of the page. */
export function descendants(parent: Parent): Element[] {
  const found: Element[] = []
  gather(parent, found)
  return found
}

function gather(parent: Parent, found: Element[]): void {
  for (const child of parent.children) {
    if (!isElement(child)) continue
    found.push(child)
    gather(child, found)
  }
}

export function find(parent: Parent, isIt: (element: Element) => boolean): Element | undefined {
  for (const child of parent.children) {
    if (!isElement(child)) continue
    const found = isIt(child) ? child : find(child, isIt)
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

/** Its text as it stands, all of it. */
export function rawText(node: Node | Tree): string {
  if (isText(node)) return node.data
  if (!('children' in node)) return ''
  let text = ''
  for (const child of node.children) text += rawText(child)
  return text
}

/** On one line. */
export function plainText(node: Node | Tree): string {
  return rawText(node).replace(/\s+/g, ' ').trim()
}

export function toHtml(node: Node | Tree): string {
  return DomUtils.getOuterHTML(node)
}
