// Writes block-level elements, separated by empty lines.

import { isBlockTag, isHeading, isMuteTag, titleOf } from '../elements.js'
import { attribute, descendants, find, isElement, plainText, rawText, type Element, type Node } from '../tree.js'
import { calloutOf } from './callout.js'
import { codeLanguage, codeText, isLitter, isTool } from './code.js'
import { writeInline } from './inline.js'
import { writeDefinitions, writeList } from './list.js'
import { headingSign, signLength, type Page } from './page.js'
import { writeTable } from './table.js'

export function writeBlocks(nodes: readonly Node[], context: Page): string {
  const blocks: string[] = []
  let inlineRun: Node[] = []
  const flushInline = () => {
    const text = writeInline(inlineRun, context)
    if (text !== '') blocks.push(context.style.paragraph(text))
    inlineRun = []
  }
  for (const node of nodes) {
    if (!isElement(node)) inlineRun.push(node)
    else if (!isMuteTag(node.name) && !isTool(node)) {
      if (!isBlockLevel(node)) inlineRun.push(node)
      else {
        flushInline()
        const text = writeBlock(node, context)
        if (text !== '') blocks.push(text)
      }
    }
  }
  flushInline()
  return blocks.join('\n\n')
}

/** Block elements, and inline elements that contain one. */
function isBlockLevel(element: Element): boolean {
  if (isBlockTag(element.name) || element.name === 'hr' || attribute(element, 'data-math') === 'display') return true
  if (element.name === 'code') return rawText(element).trim().includes('\n')
  return element.children.some((child) => isElement(child) && isBlockLevel(child))
}

/** Deeper quotes and lists are written like the text around them. */
const MAX_NESTING_DEPTH = 16
const NESTING_TAGS = new Set(['blockquote', 'ul', 'ol', 'menu', 'dl', 'div', 'aside', 'section', 'p'])

function writeBlock(element: Element, context: Page): string {
  const { style } = context
  if (isHeading(element)) return writeHeading(element, context)
  if (attribute(element, 'data-math') === 'display') return style.math(rawText(element).trim(), true)
  if (context.nesting >= MAX_NESTING_DEPTH && NESTING_TAGS.has(element.name))
    return writeBlocks(element.children, context)
  const callout = calloutOf(element)
  if (callout !== undefined) {
    const text = writeBlocks(callout.nodes, nested(context))
    return text === '' ? '' : style.callout(callout.kind, callout.title, text)
  }
  switch (element.name) {
    case 'pre':
    case 'code':
      return writeCode(element, context)
    case 'ul':
    case 'ol':
    case 'menu':
      return writeList(element, nested(context), writeBlocks)
    case 'dl':
      return writeDefinitions(element, nested(context), writeBlocks)
    case 'table':
      return codeFromTable(element, context) ?? writeTable(element, context, writeBlocks)
    case 'blockquote':
      return writeQuote(element, nested(context))
    case 'hr':
      return style.rule
    case 'summary':
    case 'dt':
    case 'legend':
      return writeStrongLine(element, context)
    case 'a':
      return writeLinkedBlocks(element, context)
    default:
      return writeBlocks(element.children, context)
  }
}

function nested(context: Page): Page {
  return { ...context, nesting: context.nesting + 1 }
}

function writeHeading(element: Element, context: Page): string {
  const text = writeInline(element.children, context).replaceAll(context.style.lineBreak, ' ')
  if (text === '') return ''
  const level = Number(element.name[1])
  const id =
    attribute(element, 'id') ||
    attribute(find(element, ({ attribs }) => 'id' in attribs || 'name' in attribs) ?? element, 'id')
  context.headings.push({
    level,
    title: titleOf(element),
    id: id || attribute(findSectionOf(element) ?? element, 'id'),
  })
  return headingSign(context.headings.length - 1) + context.style.heading(level, text)
}

/** The section that starts with this heading. */
function findSectionOf({ parent, prev }: Element): Element | undefined {
  if (parent === null || !isElement(parent) || !/^(?:section|div|article)$/.test(parent.name)) return undefined
  return prev === null || plainText(prev) === '' ? parent : undefined
}

function writeCode(element: Element, context: Page): string {
  const text = codeText(element)
  return text.trim() === '' ? '' : context.style.codeBlock(text, codeLanguage(element))
}

/** Some pages use a table for line numbers and code. */
function codeFromTable(table: Element, context: Page): string | undefined {
  const isCodeTable = /highlight|code|hljs|rouge|gist|blob|linenos/.test(
    `${attribute(table, 'class')} ${table.parent !== null && isElement(table.parent) ? attribute(table.parent, 'class') : ''}`,
  )
  if (!isCodeTable) return undefined
  const cells = descendants(table).filter(({ name }) => name === 'td' || name === 'th')
  const numberCells = new Set(cells.filter(isLitter))
  if (numberCells.size === 0) return undefined
  const codeElement = descendants(table).find(
    (candidate) => candidate.name === 'pre' && !hasAncestorIn(candidate, numberCells),
  )
  const text = codeText(codeElement ?? table)
  return text === ''
    ? undefined
    : context.style.codeBlock(text, codeLanguage(codeElement ?? table) || codeLanguage(table))
}

function hasAncestorIn(element: Element, ancestors: ReadonlySet<Element>): boolean {
  for (let { parent } = element; parent !== null && isElement(parent); { parent } = parent)
    if (ancestors.has(parent)) return true
  return false
}

function writeQuote(element: Element, context: Page): string {
  const text = writeBlocks(element.children, context)
  return text === '' ? '' : context.style.quote(text)
}

function writeStrongLine(element: Element, context: Page): string {
  const text = writeInline(element.children, context)
  return text === '' || /\*\*|\n/.test(text) ? text : context.style.strong(text)
}

/** For a link around blocks, the first line of text becomes the link. */
function writeLinkedBlocks(element: Element, context: Page): string {
  const lines = writeBlocks(element.children, context).split('\n')
  const at = lines.findIndex((line) => /[\p{L}\p{N}]/u.test(line) && !/^\W*!?\[|^```/.test(line))
  const line = lines[at]
  const target = attribute(element, 'href')
  if (line === undefined || target === '' || lines.some((other) => other.startsWith('```'))) return lines.join('\n')
  const markerChars = signLength(line)
  const start = markerChars + (/^(?:#{1,6} |> |- )/.exec(line.slice(markerChars))?.[0].length ?? 0)
  const linkText = writeLink(line.slice(start), target, context)
  return lines.with(at, line.slice(0, start) + linkText).join('\n')
}

function writeLink(text: string, href: string, context: Page): string {
  const target = URL.canParse(href, context.base) ? new URL(href, context.base) : undefined
  return target !== undefined && /^https?:$/.test(target.protocol) ? context.style.link(text, target.href) : text
}
