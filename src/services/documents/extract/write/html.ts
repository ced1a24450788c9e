// The chosen part as HTML that does nothing: only elements and attributes that carry text, structure or a way on.

import { isBlockTag, isHeading, isMuteTag, titleOf } from '../elements.js'
import { isHidden } from '../hidden.js'
import { attribute, isElement, isText, type Element, type Node } from '../tree.js'
import { isTool } from './code.js'
import { absolute } from './links.js'
import { headingSign, type Page } from './page.js'

const TAGS = new Set(
  'a abbr article b blockquote br caption cite code col colgroup dd del details dfn div dl dt em figcaption figure h1 h2 h3 h4 h5 h6 hr i img ins kbd li main mark ol p picture pre q rp rt ruby s samp section small span strong sub summary sup table tbody td tfoot th thead time tr u ul var'.split(
    ' ',
  ),
)
const EMPTY = new Set(['br', 'hr', 'img', 'col'])
const PLAIN = new Set(
  'id title lang dir datetime colspan rowspan headers scope start value reversed open alt width height'.split(' '),
)

export function writeHtml(nodes: readonly Node[], page: Page): string {
  return nodes.map((node) => write(node, page, false)).join('')
}

function write(node: Node, page: Page, inCode: boolean): string {
  if (isText(node)) return escaped(inCode ? node.data : node.data.replace(/\s+/g, ' '))
  if (!isElement(node) || isMuteTag(node.name) || isHidden(node) || isTool(node)) return ''
  const { name } = node
  const inside = () => node.children.map((child) => write(child, page, inCode || name === 'pre')).join('')
  if (!TAGS.has(name)) return isBlockTag(name) ? `<div>${inside()}</div>\n` : inside()
  const tag = `<${name}${attributes(node, page)}>`
  if (EMPTY.has(name)) return name === 'img' && !tag.includes(' src=') ? '' : tag
  const text = inside()
  if (!isBlockTag(name)) return `${tag}${text}</${name}>`
  if (text.trim() === '') return name === 'td' || name === 'th' ? `${tag}</${name}>` : ''
  return `${sign(node, page)}${tag}${text.trimEnd()}</${name}>\n`
}

/** On a line of its own, where the outline finds it. */
function sign(element: Element, page: Page): string {
  if (!isHeading(element)) return ''
  page.headings.push({ level: Number(element.name[1]), title: titleOf(element), id: attribute(element, 'id') })
  return `\n${headingSign(page.headings.length - 1)}`
}

function attributes(element: Element, page: Page): string {
  const kept: string[] = []
  for (const [name, value] of Object.entries(element.attribs)) {
    if (name === 'href' || name === 'src' || name === 'cite') {
      const address = absolute(value, page.base)
      if (address !== '') kept.push(`${name}="${quoted(address)}"`)
    } else if (PLAIN.has(name)) kept.push(`${name}="${quoted(value)}"`)
    else if (name === 'class' && /^(?:pre|code)$/.test(element.name)) kept.push(`class="${quoted(value)}"`)
  }
  return kept.map((text) => ` ${text}`).join('')
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

function quoted(text: string): string {
  return escaped(text).replaceAll('"', '&quot;')
}
