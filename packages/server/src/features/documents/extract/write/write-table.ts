// Writes data tables as tables; layout tables are replaced by their content. Used by write-blocks. Pure.

import { isHeading } from '../dom/elements.js'
import {
  childElements,
  descendantElements,
  type DomElement,
  type DomNode,
  findElement,
  getAttribute,
  isElement,
  singleLineText,
} from '../dom/tree.js'
import { joinLines } from '../dom/trim-text.js'
import type { WriteContext } from './output-syntax.js'

type WriteBlocks = (nodes: readonly DomNode[], context: WriteContext) => string

const MAX_SPAN = 50
const MAX_COLUMNS = 200

export function writeTable(table: DomElement, context: WriteContext, write: WriteBlocks): string {
  const rows = findRows(table)
  if (isLayoutTable(table, rows)) return writeLayoutTable(table, context, write)
  const expandedRows = expandSpans(
    rows.map((row) => findCells(row).map((cell) => ({ cell, text: cellText(cell, context, write) }))),
  )
  const nonEmptyRows = expandedRows.filter((row) => row.some((text) => text !== ''))
  if (nonEmptyRows.length === 0) return ''
  const [first] = rows
  const caption = findElement(table, ({ name }) => name === 'caption')
  const tableText = context.syntax.table(nonEmptyRows, first !== undefined && isHeaderRow(first))
  const captionText = caption === undefined ? '' : write(caption.children, context)
  return captionText === '' ? tableText : `${captionText}\n\n${tableText}`
}

function findRows(table: DomElement): DomElement[] {
  return childElements(table).flatMap((child) => {
    if (child.name === 'tr') return [child]
    return /^(?:thead|tbody|tfoot)$/.test(child.name) ? childElements(child).filter(({ name }) => name === 'tr') : []
  })
}

function findCells(row: DomElement): DomElement[] {
  return childElements(row).filter(({ name }) => name === 'td' || name === 'th')
}

function isHeaderRow(row: DomElement): boolean {
  if (row.parent !== null && isElement(row.parent) && row.parent.name === 'thead') return true
  const cells = findCells(row)
  const headerCells = cells.filter(({ name }) => name === 'th').length
  return headerCells > 0 && headerCells >= cells.length - 1
}

function isLayoutTable(table: DomElement, rows: readonly DomElement[]): boolean {
  if (/^(?:presentation|none)$/.test(getAttribute(table, 'role'))) return true
  if (rows.every((row) => findCells(row).length < 2)) return true
  const inner = descendantElements(table)
  if (inner.some(({ name }) => name === 'table')) return true
  const holdsPageContent = inner.some(
    (element) => isHeading(element) || element.name === 'article' || element.name === 'form',
  )
  if (holdsPageContent && !inner.some(({ name }) => name === 'th')) return true
  // One row with a lot of text is a page in columns.
  return rows.length === 1 && singleLineText(table).length > 400
}

function writeLayoutTable(table: DomElement, context: WriteContext, write: WriteBlocks): string {
  const parts = childElements(table).flatMap((child) => (child.name === 'caption' ? [child] : []))
  const cells = findRows(table).flatMap(findCells)
  return [...parts, ...cells]
    .map((part) => write(part.children, context))
    .filter((text) => text !== '')
    .join('\n\n')
}

function cellText(cell: DomElement, context: WriteContext, write: WriteBlocks): string {
  const text = write(cell.children, context)
    .replace(/^```.*$\n?/gm, '')
    .trim()
  return joinLines(text, context.syntax.cellBreak, /\\?\s+/g)
}

interface TableCell {
  readonly cell: DomElement
  readonly text: string
}

/** Adds empty cells for the columns and rows that a cell spans. */
function expandSpans(rows: readonly (readonly TableCell[])[]): string[][] {
  const reservedRows: number[] = []
  return rows.map((row) => {
    const expanded: string[] = []
    const skipReserved = () => {
      while (expanded.length < MAX_COLUMNS && (reservedRows[expanded.length] ?? 0) > 0) {
        reservedRows[expanded.length] = (reservedRows[expanded.length] ?? 0) - 1
        expanded.push('')
      }
    }
    for (const { cell, text } of row) {
      skipReserved()
      for (let at = 0; at < readSpan(cell, 'colspan') && expanded.length < MAX_COLUMNS; at++) {
        reservedRows[expanded.length] = readSpan(cell, 'rowspan') - 1
        expanded.push(at === 0 ? text : '')
      }
    }
    skipReserved()
    return expanded
  })
}

function readSpan(cell: DomElement, name: string): number {
  return Math.min(MAX_SPAN, Math.max(1, Number.parseInt(getAttribute(cell, name), 10) || 1))
}
