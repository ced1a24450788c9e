// Writes inline elements: text, emphasis, links, code, images, math and footnote references. Used by write-blocks. Pure.

import { removeInvisible } from '../../../../text/untrusted-text.js'
import { isNonTextTag } from '../dom/elements.js'
import { resolveLink } from '../dom/links.js'
import {
  childElements,
  type DomElement,
  type DomNode,
  getAttribute,
  isElement,
  isTextNode,
  rawText,
  singleLineText,
} from '../dom/tree.js'
import { isUiButton } from './code-block.js'
import { LINE_BREAK_MARKER, type WriteContext } from './output-syntax.js'

/** On one line, except for explicit line breaks. */
export function writeInline(nodes: readonly DomNode[], context: WriteContext): string {
  return normalizeLines(nodes.map((node) => writeNode(node, context)).join(''), context)
}

function normalizeLines(text: string, { syntax }: WriteContext): string {
  if (!text.includes(LINE_BREAK_MARKER)) return text.replace(/[ \t\n\r\f]+/g, ' ').trim()
  const lines = text.split(LINE_BREAK_MARKER).map((line) => line.replace(/[ \t\n\r\f]+/g, ' ').trim())
  const first = lines.findIndex((line) => line !== '')
  const last = lines.findLastIndex((line) => line !== '')
  return lines
    .filter((line, at) => at >= first && at <= last && (line !== '' || lines[at - 1] !== ''))
    .join(syntax.lineBreak)
}

function writeNode(node: DomNode, context: WriteContext): string {
  if (isTextNode(node)) return context.syntax.text(node.data)
  if (!isElement(node) || isNonTextTag(node.name) || isUiButton(node)) return ''
  return writeElement(node, context)
}

function writeElement(node: DomElement, context: WriteContext): string {
  const { syntax } = context
  switch (node.name) {
    case 'br':
      return LINE_BREAK_MARKER
    case 'img':
      return writeImage(node, context)
    case 'a':
      return writeAnchor(node, context)
    case 'code':
    case 'kbd':
    case 'samp':
    case 'tt':
      return writeCode(node, context)
    case 'b':
    case 'strong':
      return wrapMarkup(node, context, syntax.strong)
    case 'i':
    case 'em':
    case 'cite':
    case 'dfn':
      return wrapMarkup(node, context, syntax.emphasis)
    case 's':
    case 'del':
    case 'strike':
      return wrapMarkup(node, context, syntax.strike)
    case 'sup':
      return writeFootnoteReferences(node, context) || wrapMarkup(node, context, syntax.superscript)
    case 'sub':
      return wrapMarkup(node, context, syntax.subscript)
    case 'q':
      return `“${writeChildren(node, context)}”`
    case 'input':
      return ''
    case 'span':
    case 'div':
      return 'data-math' in node.attribs ? syntax.math(rawText(node).trim(), false) : writeChildren(node, context)
    case 'rt':
      return `(${writeChildren(node, context)})`
    case 'rp':
      return ''
    default:
      return writeChildren(node, context)
  }
}

function writeChildren(node: DomElement, context: WriteContext): string {
  return node.children.map((child) => writeNode(child, context)).join('')
}

/** Markup must touch the text; spaces go outside. */
function wrapMarkup(node: DomElement, context: WriteContext, wrap: (text: string) => string): string {
  const text = writeChildren(node, context)
  const inner = text.trim()
  // Markup around line breaks or other markup would be shown literally.
  if (
    inner === '' ||
    inner.includes(LINE_BREAK_MARKER) ||
    (wrap !== context.syntax.superscript && /^[*~]|[*~]$/.test(inner))
  )
    return text
  const before = /^\s/.test(text) ? ' ' : ''
  return `${before}${wrap(inner.replace(/\s+/g, ' '))}${/\s$/.test(text) ? ' ' : ''}`
}

function writeCode(node: DomElement, context: WriteContext): string {
  const text = rawText(node).replace(/\s+/g, ' ').trim()
  if (text === '') return ''
  const [only, ...others] = childElements(node)
  if (only?.name !== 'a' || others.length > 0 || singleLineText(only) !== text) return context.syntax.code(text)
  const target = resolveLink(getAttribute(only, 'href'), context.base)
  return target === '' ? context.syntax.code(text) : context.syntax.link(context.syntax.code(text), target)
}

function writeImage(node: DomElement, { syntax, base }: WriteContext): string {
  const alt = removeInvisible(getAttribute(node, 'alt')).replace(/\s+/g, ' ').trim()
  const sources = ['src', 'data-src', 'data-lazy-src', 'data-original'].map((name) => getAttribute(node, name))
  const [first = ''] = getAttribute(node, 'srcset').trim().split(/\s/)
  const target = [...sources, first].map((source) => resolveLink(source, base)).find((source) => source !== '')
  // An image without alternative text is decoration.
  return alt === '' || target === undefined ? '' : syntax.image(alt, target)
}

function writeAnchor(node: DomElement, context: WriteContext): string {
  const text = writeChildren(node, context)
  const label = text.replaceAll(LINE_BREAK_MARKER, ' ').replace(/\s+/g, ' ').trim()
  if (label === '' || isHeadingAnchor(node, label)) return ''
  const href = getAttribute(node, 'href')
  const footnoteLabel = context.footnotes.get(href.slice(1))
  if (href.startsWith('#') && footnoteLabel !== undefined && /^[[(]?\d{1,3}[\])]?$/.test(singleLineText(node)))
    return context.syntax.footnoteReference(footnoteLabel)
  const target = resolveLink(href, context.base)
  if (target === '') return text
  return `${/^\s/.test(text) ? ' ' : ''}${context.syntax.link(label, target)}${/\s$/.test(text) ? ' ' : ''}`
}

/** The symbol beside a heading that links to the heading. */
function isHeadingAnchor(node: DomElement, label: string): boolean {
  const classes = getAttribute(node, 'class')
  return (
    /^(?:[¶#§🔗⚓]|\\#|↩︎?|⤴|\^)$/u.test(label) ||
    /(?:^|\s)(?:headerlink|hash-link|anchor-link|header-anchor|heading-anchor|anchorjs-link|footnote-backref|mw-editsection)(?:\s|$)/.test(
      classes,
    )
  )
}

function writeFootnoteReferences(node: DomElement, context: WriteContext): string {
  const links = childElements(node).filter(({ name }) => name === 'a')
  const labels = links.map((link) => context.footnotes.get(getAttribute(link, 'href').replace(/^[^#]*#/, '')))
  if (labels.length === 0 || labels.includes(undefined)) return ''
  return labels.map((label) => context.syntax.footnoteReference(label ?? '')).join('')
}
