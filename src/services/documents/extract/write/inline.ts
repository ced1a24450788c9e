// Writes inline elements: text, emphasis, links, code, images, math and footnote references.

import { visibleText } from '../../../../lib/visible-text.js'
import { isMuteTag } from '../elements.js'
import { attribute, elementsOf, isElement, isText, plainText, rawText, type Element, type Node } from '../tree.js'
import { isTool } from './code.js'
import { absolute } from './links.js'
import { BREAK, type Page } from './page.js'

/** On one line, except for explicit line breaks. */
export function writeInline(nodes: readonly Node[], context: Page): string {
  return normalizeLines(nodes.map((node) => writeNode(node, context)).join(''), context)
}

function normalizeLines(text: string, { style }: Page): string {
  if (!text.includes(BREAK)) return text.replace(/[ \t\n\r\f]+/g, ' ').trim()
  const lines = text.split(BREAK).map((line) => line.replace(/[ \t\n\r\f]+/g, ' ').trim())
  const first = lines.findIndex((line) => line !== '')
  const last = lines.findLastIndex((line) => line !== '')
  return lines
    .filter((line, at) => at >= first && at <= last && (line !== '' || lines[at - 1] !== ''))
    .join(style.lineBreak)
}

function writeNode(node: Node, context: Page): string {
  if (isText(node)) return context.style.text(node.data)
  if (!isElement(node) || isMuteTag(node.name) || isTool(node)) return ''
  return writeElement(node, context)
}

function writeElement(node: Element, context: Page): string {
  const { style } = context
  switch (node.name) {
    case 'br':
      return BREAK
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
      return wrapMarkup(node, context, style.strong)
    case 'i':
    case 'em':
    case 'cite':
    case 'dfn':
      return wrapMarkup(node, context, style.emphasis)
    case 's':
    case 'del':
    case 'strike':
      return wrapMarkup(node, context, style.strike)
    case 'sup':
      return writeFootnoteReferences(node, context) || wrapMarkup(node, context, style.superscript)
    case 'sub':
      return wrapMarkup(node, context, style.subscript)
    case 'q':
      return `“${writeChildren(node, context)}”`
    case 'input':
      return ''
    case 'span':
    case 'div':
      return 'data-math' in node.attribs ? style.math(rawText(node).trim(), false) : writeChildren(node, context)
    case 'rt':
      return `(${writeChildren(node, context)})`
    case 'rp':
      return ''
    default:
      return writeChildren(node, context)
  }
}

function writeChildren(node: Element, context: Page): string {
  return node.children.map((child) => writeNode(child, context)).join('')
}

/** Markup must touch the text; spaces go outside. */
function wrapMarkup(node: Element, context: Page, wrap: (text: string) => string): string {
  const text = writeChildren(node, context)
  const inner = text.trim()
  // Markup around line breaks or other markup would be shown literally.
  if (inner === '' || inner.includes(BREAK) || (wrap !== context.style.superscript && /^[*~]|[*~]$/.test(inner)))
    return text
  const before = /^\s/.test(text) ? ' ' : ''
  return `${before}${wrap(inner.replace(/\s+/g, ' '))}${/\s$/.test(text) ? ' ' : ''}`
}

function writeCode(node: Element, context: Page): string {
  const text = rawText(node).replace(/\s+/g, ' ').trim()
  if (text === '') return ''
  const [only, ...others] = elementsOf(node)
  if (only?.name !== 'a' || others.length > 0 || plainText(only) !== text) return context.style.code(text)
  const target = absolute(attribute(only, 'href'), context.base)
  return target === '' ? context.style.code(text) : context.style.link(context.style.code(text), target)
}

function writeImage(node: Element, { style, base }: Page): string {
  const alt = visibleText(attribute(node, 'alt')).replace(/\s+/g, ' ').trim()
  const sources = ['src', 'data-src', 'data-lazy-src', 'data-original'].map((name) => attribute(node, name))
  const [first = ''] = attribute(node, 'srcset').trim().split(/\s/)
  const target = [...sources, first].map((source) => absolute(source, base)).find((source) => source !== '')
  // An image without alternative text is decoration.
  return alt === '' || target === undefined ? '' : style.image(alt, target)
}

function writeAnchor(node: Element, context: Page): string {
  const text = writeChildren(node, context)
  const label = text.replaceAll(BREAK, ' ').replace(/\s+/g, ' ').trim()
  if (label === '' || isHeadingAnchor(node, label)) return ''
  const href = attribute(node, 'href')
  const footnoteLabel = context.footnotes.get(href.slice(1))
  if (href.startsWith('#') && footnoteLabel !== undefined && /^[[(]?\d{1,3}[\])]?$/.test(plainText(node)))
    return context.style.footnoteMark(footnoteLabel)
  const target = absolute(href, context.base)
  if (target === '') return text
  return `${/^\s/.test(text) ? ' ' : ''}${context.style.link(label, target)}${/\s$/.test(text) ? ' ' : ''}`
}

/** The symbol beside a heading that links to the heading. */
function isHeadingAnchor(node: Element, label: string): boolean {
  const classes = attribute(node, 'class')
  return (
    /^(?:[¶#§🔗⚓]|\\#|↩︎?|⤴|\^)$/u.test(label) ||
    /(?:^|\s)(?:headerlink|hash-link|anchor-link|header-anchor|heading-anchor|anchorjs-link|footnote-backref|mw-editsection)(?:\s|$)/.test(
      classes,
    )
  )
}

function writeFootnoteReferences(node: Element, context: Page): string {
  const links = elementsOf(node).filter(({ name }) => name === 'a')
  const labels = links.map((link) => context.footnotes.get(attribute(link, 'href').replace(/^[^#]*#/, '')))
  if (labels.length === 0 || labels.includes(undefined)) return ''
  return labels.map((label) => context.style.footnoteMark(label ?? '')).join('')
}
