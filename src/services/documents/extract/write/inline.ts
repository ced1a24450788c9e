// Writes what runs along a line: text, emphasis, links, code, images, math, marks of footnotes.

import { visibleText } from '../../../../lib/visible-text.js'
import { isMuteTag } from '../elements.js'
import { attribute, elementsOf, isElement, isText, plainText, rawText, type Element, type Node } from '../tree.js'
import { isTool } from './code.js'
import { absolute } from './links.js'
import { BREAK, type Page } from './page.js'

/** On one line, but for breaks the page asks for. */
export function writeInline(nodes: readonly Node[], page: Page): string {
  return tidy(nodes.map((node) => piece(node, page)).join(''), page)
}

function tidy(text: string, { style }: Page): string {
  if (!text.includes(BREAK)) return text.replace(/[ \t\n\r\f]+/g, ' ').trim()
  const lines = text.split(BREAK).map((line) => line.replace(/[ \t\n\r\f]+/g, ' ').trim())
  const first = lines.findIndex((line) => line !== '')
  const last = lines.findLastIndex((line) => line !== '')
  return lines
    .filter((line, at) => at >= first && at <= last && (line !== '' || lines[at - 1] !== ''))
    .join(style.lineBreak)
}

function piece(node: Node, page: Page): string {
  if (isText(node)) return page.style.text(node.data)
  if (!isElement(node) || isMuteTag(node.name) || isTool(node)) return ''
  return element(node, page)
}

function element(node: Element, page: Page): string {
  const { style } = page
  switch (node.name) {
    case 'br':
      return BREAK
    case 'img':
      return image(node, page)
    case 'a':
      return anchor(node, page)
    case 'code':
    case 'kbd':
    case 'samp':
    case 'tt':
      return code(node, page)
    case 'b':
    case 'strong':
      return around(node, page, style.strong)
    case 'i':
    case 'em':
    case 'cite':
    case 'dfn':
      return around(node, page, style.emphasis)
    case 's':
    case 'del':
    case 'strike':
      return around(node, page, style.strike)
    case 'sup':
      return footnoteMark(node, page) || around(node, page, style.superscript)
    case 'sub':
      return around(node, page, style.subscript)
    case 'q':
      return `“${inside(node, page)}”`
    case 'input':
      return ''
    case 'span':
    case 'div':
      return 'data-math' in node.attribs ? style.math(rawText(node).trim(), false) : inside(node, page)
    case 'rt':
      return `(${inside(node, page)})`
    case 'rp':
      return ''
    default:
      return inside(node, page)
  }
}

function inside(node: Element, page: Page): string {
  return node.children.map((child) => piece(child, page)).join('')
}

/** Signs stand at the words, spaces outside of them. */
function around(node: Element, page: Page, put: (text: string) => string): string {
  const text = inside(node, page)
  const inner = text.trim()
  // Signs around breaks or around other signs of the same kind would show as what they are.
  if (inner === '' || inner.includes(BREAK) || (put !== page.style.superscript && /^[*~]|[*~]$/.test(inner)))
    return text
  const before = /^\s/.test(text) ? ' ' : ''
  return `${before}${put(inner.replace(/\s+/g, ' '))}${/\s$/.test(text) ? ' ' : ''}`
}

function code(node: Element, page: Page): string {
  const text = rawText(node).replace(/\s+/g, ' ').trim()
  if (text === '') return ''
  const [only, ...others] = elementsOf(node)
  if (only?.name !== 'a' || others.length > 0 || plainText(only) !== text) return page.style.code(text)
  const address = absolute(attribute(only, 'href'), page.base)
  return address === '' ? page.style.code(text) : page.style.link(page.style.code(text), address)
}

function image(node: Element, { style, base }: Page): string {
  const alt = visibleText(attribute(node, 'alt')).replace(/\s+/g, ' ').trim()
  const given = ['src', 'data-src', 'data-lazy-src', 'data-original'].map((name) => attribute(node, name))
  const [first = ''] = attribute(node, 'srcset').trim().split(/\s/)
  const address = [...given, first].map((source) => absolute(source, base)).find((source) => source !== '')
  // What has no words is decoration.
  return alt === '' || address === undefined ? '' : style.image(alt, address)
}

function anchor(node: Element, page: Page): string {
  const text = inside(node, page)
  const label = text.replaceAll(BREAK, ' ').replace(/\s+/g, ' ').trim()
  if (label === '' || isPilcrow(node, label)) return ''
  const href = attribute(node, 'href')
  const label2 = page.footnotes.get(href.slice(1))
  if (href.startsWith('#') && label2 !== undefined && /^[[(]?\d{1,3}[\])]?$/.test(plainText(node)))
    return page.style.footnoteMark(label2)
  const address = absolute(href, page.base)
  if (address === '') return text
  return `${/^\s/.test(text) ? ' ' : ''}${page.style.link(label, address)}${/\s$/.test(text) ? ' ' : ''}`
}

/** The sign beside a heading that only leads to that heading. */
function isPilcrow(node: Element, label: string): boolean {
  const names = attribute(node, 'class')
  return (
    /^(?:[¶#§🔗⚓]|\\#|↩︎?|⤴|\^)$/u.test(label) ||
    /(?:^|\s)(?:headerlink|hash-link|anchor-link|header-anchor|heading-anchor|anchorjs-link|footnote-backref|mw-editsection)(?:\s|$)/.test(
      names,
    )
  )
}

function footnoteMark(node: Element, page: Page): string {
  const links = elementsOf(node).filter(({ name }) => name === 'a')
  const labels = links.map((link) => page.footnotes.get(attribute(link, 'href').replace(/^[^#]*#/, '')))
  if (labels.length === 0 || labels.includes(undefined)) return ''
  return labels.map((label) => page.style.footnoteMark(label ?? '')).join('')
}
