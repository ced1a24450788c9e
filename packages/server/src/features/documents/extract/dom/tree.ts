// Parses HTML and XML into trees, with helpers to read and change them. The nesting depth is limited, so that other modules
// may recurse. Used throughout extract/. No I/O.

import { DomHandler, DomUtils, Parser } from 'htmlparser2'

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

const MAX_DEPTH = 200
/** Tags for which the parser keeps a stack of the current language; some are never closed. */
const FOREIGN_TAGS = new Set('math svg mi mo mn ms mtext annotation-xml foreignobject desc title'.split(' '))
const MAX_FOREIGN_TAGS = 500
/** Elements without children whose content must not become text. */
const RAW_TEXT_TAGS = new Set(['script', 'style', 'title', 'textarea'])

/**
 * HTML parser with a maximum nesting depth, so that each tag costs the same. Elements below it are flattened: their
 * children become children of the deepest allowed element, so no text is lost.
 */
class DepthLimitedParser extends Parser {
  /** Whether the last opened tag is flattened. */
  isFlattened = false
  private depth = 0
  private foreignDepth = 0
  /** Open flattened tags by name. */
  private readonly flattenedTags = new Map<string, number>()
  private currentStep: 'open' | 'close' | '' = ''

  override onopentagname(start: number, end: number): void {
    this.isFlattened = false
    this.currentStep = 'open'
    super.onopentagname(start, end)
  }

  override onclosetag(start: number, end: number): void {
    this.isFlattened = false
    this.currentStep = 'close'
    super.onclosetag(start, end)
  }

  /** Must be called at the end of each element. Returns false if the element was flattened. */
  closeElement(): boolean {
    if (this.isFlattened) {
      this.isFlattened = false
      return false
    }
    this.depth--
    this.flattenedTags.clear()
    return true
  }

  /** The parser calls this first for each tag, to decide whether to push it on its stack. */
  protected override isVoidElement(name: string): boolean {
    const { currentStep } = this
    this.currentStep = ''
    const isVoid = super.isVoidElement(name)
    if (currentStep === 'open') this.openTag(name, isVoid)
    return isVoid || (currentStep === 'close' ? this.closesFlattened(name) : this.isFlattened)
  }

  private openTag(name: string, isVoid: boolean): void {
    const isForeign = FOREIGN_TAGS.has(name)
    const maxDepth = MAX_DEPTH + (RAW_TEXT_TAGS.has(name) ? 1 : 0)
    this.isFlattened = !isVoid && (this.depth >= maxDepth || (isForeign && this.foreignDepth >= MAX_FOREIGN_TAGS))
    if (this.isFlattened) this.flattenedTags.set(name, (this.flattenedTags.get(name) ?? 0) + 1)
    else {
      this.depth++
      if (isForeign) this.foreignDepth++
    }
  }

  private closesFlattened(name: string): boolean {
    if (FOREIGN_TAGS.has(name) && this.foreignDepth > 0) this.foreignDepth--
    const openTag = this.flattenedTags.get(name) ?? 0
    if (openTag > 0) this.flattenedTags.set(name, openTag - 1)
    return openTag > 0
  }
}
