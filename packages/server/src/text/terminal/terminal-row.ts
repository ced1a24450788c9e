// One editable row of a terminal page, and its edits. It stays bytes until something is written into it, then becomes
// cells, one per column, without trailing spaces. Used by row-grid, terminal-page and split-rows. In memory only.

import { characterWidth } from '../column-width.js'
import { codePointAt, sequenceLength } from '../utf8.js'

/** Maximum width of an edited row. */
export const MAX_COLUMNS = 1024

export const TAB_STOP = 8

/** Limits combining marks per character against hostile input. */
const MAX_CLUSTER_LENGTH = 32
const TAB = 0x09
const SPACE = 0x20

/** A column covered by the character before it: the second half of a wide one, or part of a tab. */
const SPAN = -1

/** A code point; a string if it has combining marks; or SPAN. */
type Cell = number | string

export interface TerminalRow {
  /** The original bytes, until the row is edited. */
  bytes: Buffer | undefined
  /** Created from the bytes when columns are needed. */
  cells: Cell[] | undefined
  /** The text continues in the next row without a newline. */
  isSoftWrapped: boolean
}

export function createTerminalRow(bytes?: Buffer, isSoftWrapped = false): TerminalRow {
  return { bytes, cells: bytes ? undefined : [], isSoftWrapped }
}

export function rowWidth(row: TerminalRow): number {
  return getCells(row).length
}

export function rowBytes(row: TerminalRow): Buffer {
  return row.bytes ?? Buffer.from(cellsToText(row.cells ?? []))
}

export function isEmptyRow(row: TerminalRow): boolean {
  return (row.bytes ?? row.cells)?.length === 0
}

export function isBlankRow(row: TerminalRow): boolean {
  if (row.bytes) return row.bytes.every((byte) => byte === SPACE || byte === TAB)
  return (row.cells ?? []).every((cell) => cell === SPACE || cell === TAB || cell === SPAN)
}

/** Writes a character over a column. */
export function writeCharacter(row: TerminalRow, column: number, code: number, columns: number): void {
  const cells = toCells(row)
  while (cells.length < column) cells.push(SPACE)
  if (column < cells.length) {
    clearPartialCharacter(cells, column)
    clearPartialCharacter(cells, column + columns)
  }
  cells[column] = code
  if (columns === 2) cells[column + 1] = SPAN
}

/** Adds a combining mark to the character before the column. */
export function addCombiningMark(row: TerminalRow, column: number, code: number): void {
  appendMark(toCells(row), Math.min(column, rowWidth(row)), code)
}

export function addTab(row: TerminalRow): void {
  pushTab(toCells(row))
}

/** Replaces columns by spaces, from one column up to another. */
export function blankColumns(row: TerminalRow, from: number, to: number): void {
  const cells = toCells(row)
  clearPartialCharacter(cells, from)
  clearPartialCharacter(cells, to)
  if (to >= cells.length) cells.length = Math.min(cells.length, from)
  else cells.fill(SPACE, from, to)
}

export function truncateRow(row: TerminalRow, from: number): void {
  const cells = toCells(row)
  clearPartialCharacter(cells, from)
  cells.length = Math.min(cells.length, from)
  row.isSoftWrapped = false
}

/** Inserts spaces at a column and moves the rest to the right. */
export function insertColumns(row: TerminalRow, column: number, count: number): void {
  const cells = toCells(row)
  if (column >= cells.length) return
  clearPartialCharacter(cells, column)
  const end = Math.min(cells.length + count, MAX_COLUMNS)
  while (cells.length < end) cells.push(SPACE)
  for (let at = end - 1; at >= column + count; at--) cells[at] = cells[at - count] ?? SPACE
  cells.fill(SPACE, column, Math.min(column + count, end))
  cells.length = end
}

/** Removes columns and moves the rest to the left. */
export function removeColumns(row: TerminalRow, column: number, count: number): void {
  const cells = toCells(row)
  clearPartialCharacter(cells, column)
  clearPartialCharacter(cells, column + count)
  cells.splice(column, count)
}

function toCells(row: TerminalRow): Cell[] {
  const cells = getCells(row)
  row.bytes = undefined
  return cells
}

function getCells(row: TerminalRow): Cell[] {
  return (row.cells ??= readCells(row.bytes ?? Buffer.alloc(0)))
}

function readCells(bytes: Buffer): Cell[] {
  const cells: Cell[] = []
  for (let at = 0; at < bytes.length; at += sequenceLength(bytes[at] ?? 0)) {
    const code = codePointAt(bytes, at)
    const columns = characterWidth(code)
    if (code === TAB) pushTab(cells)
    else if (columns === 0) appendMark(cells, cells.length, code)
    else cells.push(code)
    if (columns === 2) cells.push(SPAN)
  }
  return cells
}

// Beyond the maximum width a tab takes one column, so that a row of tabs does not grow eightfold.
function pushTab(cells: Cell[]): void {
  cells.push(TAB)
  while (cells.length % TAB_STOP !== 0 && cells.length < MAX_COLUMNS) cells.push(SPAN)
}

function appendMark(cells: Cell[], column: number, code: number): void {
  let at = column - 1
  while (cells[at] === SPAN) at--
  const cell = cells[at]
  if (cell === undefined || cell === TAB) return
  const text = typeof cell === 'string' ? cell : String.fromCodePoint(cell)
  if (text.length < MAX_CLUSTER_LENGTH) cells[at] = text + String.fromCodePoint(code)
}

/** Replaces a wide character or tab that covers the column by spaces, before that column changes. */
function clearPartialCharacter(cells: Cell[], column: number): void {
  if (cells[column] !== SPAN) return
  let at = column
  while (cells[at] === SPAN) at--
  cells[at] = SPACE
  for (at++; cells[at] === SPAN; at++) cells[at] = SPACE
}

function cellsToText(cells: readonly Cell[]): string {
  let end = cells.length
  while (end > 0 && cells[end - 1] === SPACE) end--
  let text = ''
  for (let at = 0; at < end; at++) {
    const cell = cells[at] ?? SPAN
    if (typeof cell === 'string') text += cell
    else if (cell !== SPAN) text += cell < 0x80 ? String.fromCharCode(cell) : String.fromCodePoint(cell)
  }
  return text
}
