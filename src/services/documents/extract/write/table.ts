// Tables of data as tables; tables that only arrange the page are written as what is in them.

import { isHeading } from '../elements.js'
import { joinedLines } from '../ends.js'
import { attribute, descendants, elementsOf, find, isElement, plainText, type Element, type Node } from '../tree.js'
import type { Page } from './page.js'

type WriteBlocks = (nodes: readonly Node[], page: Page) => string

const MAX_SPAN = 50
const MAX_COLUMNS = 200

export function writeTable(table: Element, page: Page, write: WriteBlocks): string {
  const rows = rowsOf(table)
  if (isLayout(table, rows)) return unwrapped(table, page, write)
  const cells = filled(rows.map((row) => cellsOf(row).map((cell) => ({ cell, text: cellText(cell, page, write) }))))
  const kept = cells.filter((row) => row.some((text) => text !== ''))
  if (kept.length === 0) return ''
  const [first] = rows
  const caption = find(table, ({ name }) => name === 'caption')
  const written = page.style.table(kept, first !== undefined && isHeader(first))
  const said = caption === undefined ? '' : write(caption.children, page)
  return said === '' ? written : `${said}\n\n${written}`
}

function rowsOf(table: Element): Element[] {
  return elementsOf(table).flatMap((child) => {
    if (child.name === 'tr') return [child]
    return /^(?:thead|tbody|tfoot)$/.test(child.name) ? elementsOf(child).filter(({ name }) => name === 'tr') : []
  })
}

function cellsOf(row: Element): Element[] {
  return elementsOf(row).filter(({ name }) => name === 'td' || name === 'th')
}

function isHeader(row: Element): boolean {
  if (row.parent !== null && isElement(row.parent) && row.parent.name === 'thead') return true
  const cells = cellsOf(row)
  const named = cells.filter(({ name }) => name === 'th').length
  return named > 0 && named >= cells.length - 1
}

function isLayout(table: Element, rows: readonly Element[]): boolean {
  if (/^(?:presentation|none)$/.test(attribute(table, 'role'))) return true
  if (rows.every((row) => cellsOf(row).length < 2)) return true
  const inner = descendants(table)
  if (inner.some(({ name }) => name === 'table')) return true
  const holdsPage = inner.some((element) => isHeading(element) || element.name === 'article' || element.name === 'form')
  if (holdsPage && !inner.some(({ name }) => name === 'th')) return true
  // One row of long cells is a page in columns.
  return rows.length === 1 && plainText(table).length > 400
}

function unwrapped(table: Element, page: Page, write: WriteBlocks): string {
  const parts = elementsOf(table).flatMap((child) => (child.name === 'caption' ? [child] : []))
  const cells = rowsOf(table).flatMap(cellsOf)
  return [...parts, ...cells]
    .map((part) => write(part.children, page))
    .filter((text) => text !== '')
    .join('\n\n')
}

function cellText(cell: Element, page: Page, write: WriteBlocks): string {
  const text = write(cell.children, page)
    .replace(/^```.*$\n?/gm, '')
    .trim()
  return joinedLines(text, page.style.cellBreak, /\\?\s+/g)
}

interface Cell {
  readonly cell: Element
  readonly text: string
}

/** Cells that reach over several columns or rows leave empty ones there. */
function filled(rows: readonly (readonly Cell[])[]): string[][] {
  const reserved: number[] = []
  return rows.map((row) => {
    const line: string[] = []
    const skip = () => {
      while (line.length < MAX_COLUMNS && (reserved[line.length] ?? 0) > 0) {
        reserved[line.length] = (reserved[line.length] ?? 0) - 1
        line.push('')
      }
    }
    for (const { cell, text } of row) {
      skip()
      for (let at = 0; at < span(cell, 'colspan') && line.length < MAX_COLUMNS; at++) {
        reserved[line.length] = span(cell, 'rowspan') - 1
        line.push(at === 0 ? text : '')
      }
    }
    skip()
    return line
  })
}

function span(cell: Element, name: string): number {
  return Math.min(MAX_SPAN, Math.max(1, Number.parseInt(attribute(cell, name), 10) || 1))
}
