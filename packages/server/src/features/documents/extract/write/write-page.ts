// Writes the nodes of a page as Markdown, plain text or sanitized HTML, and builds the outline. Used by read-html and
// read-feed. No I/O; removes invisible characters from the nodes.

import { removeInvisible } from '../../../../text/untrusted-text.js'
import { headingText, isBlockTag, isHeading, isNonTextTag } from '../dom/elements.js'
import { resolveLink, slugify } from '../dom/links.js'
import {
  descendantElements,
  type DomElement,
  type DomNode,
  type DomParent,
  getAttribute,
  isElement,
  isTextNode,
  singleLineText,
} from '../dom/tree.js'
import { trimLineEnds } from '../dom/trim-text.js'
import { isHidden } from '../dom/visibility.js'
import type { DocumentFormat, OutlineHeading } from '../extract-types.js'
import { isUiButton } from './code-block.js'
import { MARKDOWN_SYNTAX } from './markdown-syntax.js'
import { extractMarkers, headingMarker, PLAIN_TEXT_SYNTAX, type WriteContext } from './output-syntax.js'
import { writeBlocks } from './write-blocks.js'

interface WriteResult {
  readonly content: string
  readonly outline: readonly OutlineHeading[]
}

export function writePage(nodes: readonly DomNode[], base: string, format: DocumentFormat, title: string): WriteResult {
  removeInvisibleText(nodes)
  const context: WriteContext = {
    syntax: format === 'text' ? PLAIN_TEXT_SYNTAX : MARKDOWN_SYNTAX,
    base,
    nesting: 0,
    footnotes: new Map(nodes.flatMap((node) => (isElement(node) ? [...findFootnotes(node)] : []))),
    headings: [],
  }
  const body = format === 'html' ? writeHtml(nodes, context) : writeBlocks(nodes, context)
  const { text, lines } = extractMarkers(trimOutput(withTitle(body, context, format, title)))
  const outline = context.headings.flatMap((heading, index) => {
    const line = lines.get(index)
    return line === undefined ? [] : [{ ...heading, id: heading.id || slugify(heading.title), line }]
  })
  return { content: text, outline: outline.sort((a, b) => a.line - b.line) }
}

/** Also removes the control characters that the writers use as markers. */
function removeInvisibleText(nodes: readonly DomNode[]): void {
  for (const node of nodes) {
    if (isTextNode(node) && !/^[\t\n -~]*$/.test(node.data)) node.data = removeInvisible(node.data)
    if (isElement(node)) removeInvisibleText(node.children)
  }
}

/** Adds the title as a level 1 heading if there is none. */
function withTitle(body: string, context: WriteContext, format: DocumentFormat, title: string): string {
  if (title === '' || body === '' || format === 'text' || context.headings.some(({ level }) => level === 1)) return body
  context.headings.push({ level: 1, title, id: '' })
  const marker = headingMarker(context.headings.length - 1)
  const visibleTitle = removeInvisible(title)
  return format === 'html'
    ? `${marker}<h1>${escapeHtml(visibleTitle)}</h1>\n${body}`
    : `${marker}${MARKDOWN_SYNTAX.heading(1, MARKDOWN_SYNTAX.text(visibleTitle))}\n\n${body}`
}

function trimOutput(text: string): string {
  return trimLineEnds(text)
    .replace(/\n{3,}/g, '\n\n')
    .trim()
}

/** Finds the footnotes of a page: list items that a superscript link refers to. Returns labels by id. */
function findFootnotes(root: DomParent): Map<string, string> {
  const notes = new Map<string, string>()
  const elements = descendantElements(root)
  const byId = new Map(elements.map((element) => [getAttribute(element, 'id'), element]))
  for (const element of elements) {
    if (element.name !== 'a' || !isFootnoteReference(element)) continue
    const href = getAttribute(element, 'href')
    const id = href.includes('#') ? href.slice(href.indexOf('#') + 1) : ''
    const label = singleLineText(element).replace(/[[\]()^\s]/g, '')
    if (id !== '' && !notes.has(id) && /^[\p{L}\p{N}*†‡§]{1,4}$/u.test(label) && isFootnoteTarget(byId.get(id)))
      notes.set(id, label)
  }
  return notes
}

function isFootnoteReference(link: DomElement): boolean {
  const { parent } = link
  if (/footnote-?ref|fn-?ref/.test(getAttribute(link, 'class'))) return true
  return parent !== null && isElement(parent) && parent.name === 'sup'
}

function isFootnoteTarget(target: DomElement | undefined): boolean {
  if (target === undefined) return false
  for (
    let ancestor: DomElement['parent'] = target;
    ancestor !== null && isElement(ancestor);
    ancestor = ancestor.parent
  )
    if (ancestor.name === 'li') return true
  return false
}

const ALLOWED_TAGS = new Set(
  'a abbr article b blockquote br caption cite code col colgroup dd del details dfn div dl dt em figcaption figure h1 h2 h3 h4 h5 h6 hr i img ins kbd li main mark ol p picture pre q rp rt ruby s samp section small span strong sub summary sup table tbody td tfoot th thead time tr u ul var'.split(
    ' ',
  ),
)
const VOID_TAGS = new Set(['br', 'hr', 'img', 'col'])
const ALLOWED_ATTRIBUTES = new Set(
  'id title lang dir datetime colspan rowspan headers scope start value reversed open alt width height'.split(' '),
)

/** Writes sanitized HTML: only elements and attributes for text, structure and links. */
function writeHtml(nodes: readonly DomNode[], context: WriteContext): string {
  return nodes.map((node) => writeNode(node, context, false)).join('')
}

function writeNode(node: DomNode, context: WriteContext, inCode: boolean): string {
  if (isTextNode(node)) return escapeHtml(inCode ? node.data : node.data.replace(/\s+/g, ' '))
  if (!isElement(node) || isNonTextTag(node.name) || isHidden(node) || isUiButton(node)) return ''
  const { name } = node
  const writeChildren = () => node.children.map((child) => writeNode(child, context, inCode || name === 'pre')).join('')
  if (!ALLOWED_TAGS.has(name)) return isBlockTag(name) ? `<div>${writeChildren()}</div>\n` : writeChildren()
  const tag = `<${name}${writeAttributes(node, context)}>`
  if (VOID_TAGS.has(name)) return name === 'img' && !tag.includes(' src=') ? '' : tag
  const text = writeChildren()
  if (!isBlockTag(name)) return `${tag}${text}</${name}>`
  if (text.trim() === '') return name === 'td' || name === 'th' ? `${tag}</${name}>` : ''
  return `${headingPrefix(node, context)}${tag}${text.trimEnd()}</${name}>\n`
}

/** Starts a new line with the marker of the heading, by which the outline finds it. */
function headingPrefix(element: DomElement, context: WriteContext): string {
  if (!isHeading(element)) return ''
  context.headings.push({
    level: Number(element.name[1]),
    title: headingText(element),
    id: getAttribute(element, 'id'),
  })
  return `\n${headingMarker(context.headings.length - 1)}`
}

function writeAttributes(element: DomElement, context: WriteContext): string {
  const kept: string[] = []
  for (const [name, value] of Object.entries(element.attribs)) {
    if (name === 'href' || name === 'src' || name === 'cite') {
      const target = resolveLink(value, context.base)
      if (target !== '') kept.push(`${name}="${escapeAttribute(target)}"`)
    } else if (ALLOWED_ATTRIBUTES.has(name)) kept.push(`${name}="${escapeAttribute(value)}"`)
    else if (name === 'class' && /^(?:pre|code)$/.test(element.name)) kept.push(`class="${escapeAttribute(value)}"`)
  }
  return kept.map((text) => ` ${text}`).join('')
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

function escapeAttribute(text: string): string {
  return escapeHtml(text).replaceAll('"', '&quot;')
}
