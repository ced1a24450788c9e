// Writes data tables as tables; layout tables are replaced by their content.

import { isHeading } from '../elements.js'
import { joinedLines } from '../ends.js'
import { attribute, descendants, elementsOf, find, isElement, plainText, type Element, type Node } from '../tree.js'
import type { Page } from './page.js'

type WriteBlocks = (nodes: readonly Node[], context: Page) => string

const MAX_SPAN = 50
const MAX_COLUMNS = 200

export function writeTable(table: Element, context: Page, write: WriteBlocks): string {
  const rows = findRows(table)
  if (isLayoutTable(table, rows)) return writeLayoutTable(table, context, write)
  const expandedRows = expandSpans(
    rows.map((row) => findCells(row).map((cell) => ({ cell, text: cellText(cell, context, write) }))),
  )
  const nonEmptyRows = expandedRows.filter((row) => row.some((text) => text !== ''))
  if (nonEmptyRows.length === 0) return ''
  const [first] = rows
  const caption = find(table, ({ name }) => name === 'caption')
  const tableText = context.style.table(nonEmptyRows, first !== undefined && isHeaderRow(first))
  const captionText = caption === undefined ? '' : write(caption.children, context)
  return captionText === '' ? tableText : `${captionText}\n\n${tableText}`
}

function findRows(table: Element): Element[] {
  return elementsOf(table).flatMap((child) => {
    if (child.name === 'tr') return [child]
    return /^(?:thead|tbody|tfoot)$/.test(child.name) ? elementsOf(child).filter(({ name }) => name === 'tr') : []
  })
}

function findCells(row: Element): Element[] {
  return elementsOf(row).filter(({ name }) => name === 'td' || name === 'th')
}

function isHeaderRow(row: Element): boolean {
  if (row.parent !== null && isElement(row.parent) && row.parent.name === 'thead') return true
  const cells = findCells(row)
  const headerCells = cells.filter(({ name }) => name === 'th').length
  return headerCells > 0 && headerCells >= cells.length - 1
}

function isLayoutTable(table: Element, rows: readonly Element[]): boolean {
  if (/^(?:presentation|none)$/.test(attribute(table, 'role'))) return true
  if (rows.every((row) => findCells(row).length < 2)) return true
  const inner = descendants(table)
  if (inner.some(({ name }) => name === 'table')) return true
  const holdsPageContent = inner.some(
    (element) => isHeading(element) || element.name === 'article' || element.name === 'form',
  )
  if (holdsPageContent && !inner.some(({ name }) => name === 'th')) return true
  // One row with a lot of text is a page in columns.
  return rows.length === 1 && plainText(table).length > 400
}

function writeLayoutTable(table: Element, context: Page, write: WriteBlocks): string {
  const parts = elementsOf(table).flatMap((child) => (child.name === 'caption' ? [child] : []))
  const cells = findRows(table).flatMap(findCells)
  return [...parts, ...cells]
    .map((part) => write(part.children, context))
    .filter((text) => text !== '')
    .join('\n\n')
}

function cellText(cell: Element, context: Page, write: WriteBlocks): string {
  const text = write(cell.children, context)
    .replace(/^```.*$\n?/gm, '')
    .trim()
  return joinedLines(text, context.style.cellBreak, /\\?\s+/g)
}

interface TableCell {
  readonly cell: Element
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

function readSpan(cell: Element, name: string): number {
  return Math.min(MAX_SPAN, Math.max(1, Number.parseInt(attribute(cell, name), 10) || 1))
}
