// Writes sanitized HTML: only elements and attributes for text, structure and links.

import { headingText, isBlockTag, isHeading, isNonTextTag } from '../dom/elements.js'
import { resolveLink } from '../dom/links.js'
import { type DomElement, type DomNode, getAttribute, isElement, isTextNode } from '../dom/tree.js'
import { isHidden } from '../dom/visibility.js'
import { isUiButton } from './code-block.js'
import { headingMarker, type WriteContext } from './write-context.js'

const ALLOWED_TAGS = new Set(
  'a abbr article b blockquote br caption cite code col colgroup dd del details dfn div dl dt em figcaption figure h1 h2 h3 h4 h5 h6 hr i img ins kbd li main mark ol p picture pre q rp rt ruby s samp section small span strong sub summary sup table tbody td tfoot th thead time tr u ul var'.split(
    ' ',
  ),
)
const VOID_TAGS = new Set(['br', 'hr', 'img', 'col'])
const ALLOWED_ATTRIBUTES = new Set(
  'id title lang dir datetime colspan rowspan headers scope start value reversed open alt width height'.split(' '),
)

export function writeHtml(nodes: readonly DomNode[], context: WriteContext): string {
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
