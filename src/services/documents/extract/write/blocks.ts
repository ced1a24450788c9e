// Writes what stands on lines of its own, one after the other with an empty line between.

import { isBlockTag, isHeading, isMuteTag, titleOf } from '../elements.js'
import { attribute, descendants, find, isElement, plainText, rawText, type Element, type Node } from '../tree.js'
import { calloutOf } from './callout.js'
import { codeLanguage, codeText, isLitter, isTool } from './code.js'
import { writeInline } from './inline.js'
import { writeDefinitions, writeList } from './list.js'
import { headingSign, signLength, type Page } from './page.js'
import { writeTable } from './table.js'

export function writeBlocks(nodes: readonly Node[], page: Page): string {
  const written: string[] = []
  let run: Node[] = []
  const endRun = () => {
    const text = writeInline(run, page)
    if (text !== '') written.push(page.style.paragraph(text))
    run = []
  }
  for (const node of nodes) {
    if (!isElement(node)) run.push(node)
    else if (!isMuteTag(node.name) && !isTool(node)) {
      if (!standsAlone(node)) run.push(node)
      else {
        endRun()
        const text = writeBlock(node, page)
        if (text !== '') written.push(text)
      }
    }
  }
  endRun()
  return written.join('\n\n')
}

/** Also what runs along a line by its name, where something within does not. */
function standsAlone(element: Element): boolean {
  if (isBlockTag(element.name) || element.name === 'hr' || attribute(element, 'data-math') === 'display') return true
  if (element.name === 'code') return rawText(element).trim().includes('\n')
  return element.children.some((child) => isElement(child) && standsAlone(child))
}

/** Below so many quotes and lists, the next is written like the text around it. */
const MAX_NESTING = 16
const NESTING = new Set(['blockquote', 'ul', 'ol', 'menu', 'dl', 'div', 'aside', 'section', 'p'])

function writeBlock(element: Element, page: Page): string {
  const { style } = page
  if (isHeading(element)) return heading(element, page)
  if (attribute(element, 'data-math') === 'display') return style.math(rawText(element).trim(), true)
  if (page.nesting >= MAX_NESTING && NESTING.has(element.name)) return writeBlocks(element.children, page)
  const callout = calloutOf(element)
  if (callout !== undefined) {
    const text = writeBlocks(callout.nodes, within(page))
    return text === '' ? '' : style.callout(callout.kind, callout.title, text)
  }
  switch (element.name) {
    case 'pre':
    case 'code':
      return code(element, page)
    case 'ul':
    case 'ol':
    case 'menu':
      return writeList(element, within(page), writeBlocks)
    case 'dl':
      return writeDefinitions(element, within(page), writeBlocks)
    case 'table':
      return codeOfTable(element, page) ?? writeTable(element, page, writeBlocks)
    case 'blockquote':
      return quote(element, within(page))
    case 'hr':
      return style.rule
    case 'summary':
    case 'dt':
    case 'legend':
      return strongLine(element, page)
    case 'a':
      return linkedBlocks(element, page)
    default:
      return writeBlocks(element.children, page)
  }
}

function within(page: Page): Page {
  return { ...page, nesting: page.nesting + 1 }
}

function heading(element: Element, page: Page): string {
  const text = writeInline(element.children, page).replaceAll(page.style.lineBreak, ' ')
  if (text === '') return ''
  const level = Number(element.name[1])
  const id =
    attribute(element, 'id') ||
    attribute(find(element, ({ attribs }) => 'id' in attribs || 'name' in attribs) ?? element, 'id')
  page.headings.push({ level, title: titleOf(element), id: id || attribute(parentSection(element) ?? element, 'id') })
  return headingSign(page.headings.length - 1) + page.style.heading(level, text)
}

/** The section that begins with this heading. */
function parentSection({ parent, prev }: Element): Element | undefined {
  if (parent === null || !isElement(parent) || !/^(?:section|div|article)$/.test(parent.name)) return undefined
  return prev === null || plainText(prev) === '' ? parent : undefined
}

function code(element: Element, page: Page): string {
  const text = codeText(element)
  return text.trim() === '' ? '' : page.style.codeBlock(text, codeLanguage(element))
}

/** Some pages put line numbers and lines of code beside each other in a table. */
function codeOfTable(table: Element, page: Page): string | undefined {
  const isCode = /highlight|code|hljs|rouge|gist|blob|linenos/.test(
    `${attribute(table, 'class')} ${table.parent !== null && isElement(table.parent) ? attribute(table.parent, 'class') : ''}`,
  )
  if (!isCode) return undefined
  const cells = descendants(table).filter(({ name }) => name === 'td' || name === 'th')
  const numbers = new Set(cells.filter(isLitter))
  if (numbers.size === 0) return undefined
  const inner = descendants(table).find((found) => found.name === 'pre' && !isInside(found, numbers))
  const text = codeText(inner ?? table)
  return text === '' ? undefined : page.style.codeBlock(text, codeLanguage(inner ?? table) || codeLanguage(table))
}

function isInside(element: Element, places: ReadonlySet<Element>): boolean {
  for (let { parent } = element; parent !== null && isElement(parent); { parent } = parent)
    if (places.has(parent)) return true
  return false
}

function quote(element: Element, page: Page): string {
  const text = writeBlocks(element.children, page)
  return text === '' ? '' : page.style.quote(text)
}

function strongLine(element: Element, page: Page): string {
  const text = writeInline(element.children, page)
  return text === '' || /\*\*|\n/.test(text) ? text : page.style.strong(text)
}

/** A link around whole blocks: the first line of words leads there. */
function linkedBlocks(element: Element, page: Page): string {
  const lines = writeBlocks(element.children, page).split('\n')
  const at = lines.findIndex((line) => /[\p{L}\p{N}]/u.test(line) && !/^\W*!?\[|^```/.test(line))
  const line = lines[at]
  const address = attribute(element, 'href')
  if (line === undefined || address === '' || lines.some((other) => other.startsWith('```'))) return lines.join('\n')
  const sign = signLength(line)
  const start = sign + (/^(?:#{1,6} |> |- )/.exec(line.slice(sign))?.[0].length ?? 0)
  const linked = writeInlineLink(line.slice(start), address, page)
  return lines.with(at, line.slice(0, start) + linked).join('\n')
}

function writeInlineLink(text: string, href: string, page: Page): string {
  const address = URL.canParse(href, page.base) ? new URL(href, page.base) : undefined
  return address !== undefined && /^https?:$/.test(address.protocol) ? page.style.link(text, address.href) : text
}
