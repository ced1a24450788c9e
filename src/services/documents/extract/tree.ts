// A page as a tree, with bounds: what is nested too deep is made flat, so that everything after it may recurse. Scripts,
// styles and comments keep no text here; what scripts were to read is picked out on the way.

import { DomHandler, DomUtils, Parser } from 'htmlparser2'

export type Tree = DomHandler['root']
export type Node = Tree['children'][number]
export type Element = Extract<Node, { attribs: Record<string, string> }>
export type Parent = Tree | Element

const MAX_DEPTH = 200

export function parseTree(html: string): Tree {
  const handler = new DomHandler()
  let depth = 0
  let flattened = 0
  const parser = new Parser(
    {
      onparserinit: (own) => handler.onparserinit(own),
      onopentag(name, attribs) {
        if (depth >= MAX_DEPTH && !isVoid(name)) flattened++
        else {
          handler.onopentag(name, attribs)
          depth++
        }
      },
      onclosetag(name) {
        if (flattened > 0 && !isVoid(name)) flattened--
        else {
          handler.onclosetag()
          depth--
        }
      },
      ontext: (text) => handler.ontext(text),
      onend: () => handler.onend(),
      onerror: (error) => handler.onerror(error),
    },
    { decodeEntities: true, lowerCaseTags: true, lowerCaseAttributeNames: true },
  )
  parser.end(html)
  return handler.root
}

const VOID = new Set('area base br col embed hr img input link meta param source track wbr'.split(' '))

function isVoid(name: string): boolean {
  return VOID.has(name)
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
