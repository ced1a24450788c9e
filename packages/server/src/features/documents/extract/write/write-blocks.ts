// Writes block-level elements in the syntax of the output, separated by empty lines; delegates lists, tables and inline
// content. Used by write-page. Pure, except that headings are added to the context.

import { headingText, isBlockTag, isHeading, isNonTextTag, parseCallout } from '../dom/elements.js'
import {
  descendantElements,
  type DomElement,
  type DomNode,
  findElement,
  getAttribute,
  isElement,
  rawText,
  singleLineText,
} from '../dom/tree.js'
import { codeLanguage, codeText, isCodeDecoration, isUiButton } from './code-block.js'
import { headingMarker, markerLength, type WriteContext } from './output-syntax.js'
import { writeInline } from './write-inline.js'
import { writeDefinitionList, writeList } from './write-list.js'
import { writeTable } from './write-table.js'
import { tryParseUrl } from '../../../../text/parse-url.js'

export function writeBlocks(nodes: readonly DomNode[], context: WriteContext): string {
  const blocks: string[] = []
  let inlineRun: DomNode[] = []
  const flushInline = () => {
    const text = writeInline(inlineRun, context)
    if (text !== '') blocks.push(context.syntax.paragraph(text))
    inlineRun = []
  }
  for (const node of nodes) {
    if (!isElement(node)) inlineRun.push(node)
    else if (!isNonTextTag(node.name) && !isUiButton(node)) {
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
function isBlockLevel(element: DomElement): boolean {
  if (isBlockTag(element.name) || element.name === 'hr' || getAttribute(element, 'data-math') === 'display') return true
  if (element.name === 'code') return rawText(element).trim().includes('\n')
  return element.children.some((child) => isElement(child) && isBlockLevel(child))
}

/** Deeper quotes and lists are written like the text around them. */
const MAX_NESTING_DEPTH = 16
const NESTING_TAGS = new Set(['blockquote', 'ul', 'ol', 'menu', 'dl', 'div', 'aside', 'section', 'p'])

function writeBlock(element: DomElement, context: WriteContext): string {
  const { syntax } = context
  if (isHeading(element)) return writeHeading(element, context)
  if (getAttribute(element, 'data-math') === 'display') return syntax.math(rawText(element).trim(), true)
  if (context.nesting >= MAX_NESTING_DEPTH && NESTING_TAGS.has(element.name))
    return writeBlocks(element.children, context)
  const callout = parseCallout(element)
  if (callout !== undefined) {
    const text = writeBlocks(callout.nodes, nested(context))
    return text === '' ? '' : syntax.callout(callout.kind, callout.title, text)
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
      return writeDefinitionList(element, nested(context), writeBlocks)
    case 'table':
      return codeFromTable(element, context) ?? writeTable(element, context, writeBlocks)
    case 'blockquote':
      return writeQuote(element, nested(context))
    case 'hr':
      return syntax.rule
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

function nested(context: WriteContext): WriteContext {
  return { ...context, nesting: context.nesting + 1 }
}

function writeHeading(element: DomElement, context: WriteContext): string {
  const text = writeInline(element.children, context).replaceAll(context.syntax.lineBreak, ' ')
  if (text === '') return ''
  const level = Number(element.name[1])
  const id =
    getAttribute(element, 'id') ||
    getAttribute(findElement(element, ({ attribs }) => 'id' in attribs || 'name' in attribs) ?? element, 'id')
  context.headings.push({
    level,
    title: headingText(element),
    id: id || getAttribute(findSectionOf(element) ?? element, 'id'),
  })
  return headingMarker(context.headings.length - 1) + context.syntax.heading(level, text)
}

/** The section that starts with this heading. */
function findSectionOf({ parent, prev }: DomElement): DomElement | undefined {
  if (parent === null || !isElement(parent) || !/^(?:section|div|article)$/.test(parent.name)) return undefined
  return prev === null || singleLineText(prev) === '' ? parent : undefined
}

function writeCode(element: DomElement, context: WriteContext): string {
  const text = codeText(element)
  return text.trim() === '' ? '' : context.syntax.codeBlock(text, codeLanguage(element))
}

/** Some pages use a table for line numbers and code. */
function codeFromTable(table: DomElement, context: WriteContext): string | undefined {
  const isCodeTable = /highlight|code|hljs|rouge|gist|blob|linenos/.test(
    `${getAttribute(table, 'class')} ${table.parent !== null && isElement(table.parent) ? getAttribute(table.parent, 'class') : ''}`,
  )
  if (!isCodeTable) return undefined
  const cells = descendantElements(table).filter(({ name }) => name === 'td' || name === 'th')
  const numberCells = new Set(cells.filter(isCodeDecoration))
  if (numberCells.size === 0) return undefined
  const codeElement = descendantElements(table).find(
    (candidate) => candidate.name === 'pre' && !hasAncestorIn(candidate, numberCells),
  )
  const text = codeText(codeElement ?? table)
  return text === ''
    ? undefined
    : context.syntax.codeBlock(text, codeLanguage(codeElement ?? table) || codeLanguage(table))
}

function hasAncestorIn(element: DomElement, ancestors: ReadonlySet<DomElement>): boolean {
  for (let { parent } = element; parent !== null && isElement(parent); { parent } = parent)
    if (ancestors.has(parent)) return true
  return false
}

function writeQuote(element: DomElement, context: WriteContext): string {
  const text = writeBlocks(element.children, context)
  return text === '' ? '' : context.syntax.quote(text)
}

function writeStrongLine(element: DomElement, context: WriteContext): string {
  const text = writeInline(element.children, context)
  return text === '' || /\*\*|\n/.test(text) ? text : context.syntax.strong(text)
}

/** For a link around blocks, the first line of text becomes the link. */
function writeLinkedBlocks(element: DomElement, context: WriteContext): string {
  const lines = writeBlocks(element.children, context).split('\n')
  const at = lines.findIndex((line) => /[\p{L}\p{N}]/u.test(line) && !/^\W*!?\[|^```/.test(line))
  const line = lines[at]
  const target = getAttribute(element, 'href')
  if (line === undefined || target === '' || lines.some((other) => other.startsWith('```'))) return lines.join('\n')
  const markerChars = markerLength(line)
  const start = markerChars + (/^(?:#{1,6} |> |- )/.exec(line.slice(markerChars))?.[0].length ?? 0)
  const linkText = writeLink(line.slice(start), target, context)
  return lines.with(at, line.slice(0, start) + linkText).join('\n')
}

function writeLink(text: string, href: string, context: WriteContext): string {
  const target = tryParseUrl(href, context.base)
  return target !== undefined && /^https?:$/.test(target.protocol) ? context.syntax.link(text, target.href) : text
}
