// Writes nodes in the requested format and builds the outline.

import { removeInvisible } from '../../../../text/invisible-characters.js'
import { slugify } from '../dom/heading-slug.js'
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
import type { DocumentFormat, OutlineHeading } from '../extract-types.js'
import { MARKDOWN_SYNTAX } from './markdown-syntax.js'
import { PLAIN_TEXT_SYNTAX } from './output-syntax.js'
import { writeBlocks } from './write-blocks.js'
import { extractMarkers, headingMarker, type WriteContext } from './write-context.js'
import { writeHtml } from './write-html.js'

export interface WriteResult {
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

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}

function trimOutput(text: string): string {
  return trimLineEnds(text)
    .replace(/\n{3,}/g, '\n\n')
    .trim()
}

// Finds the footnotes of a page: list items that a superscript link refers to.

/** Label of each footnote by its id. */
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
