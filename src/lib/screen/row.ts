// One row that may still change. It stays the bytes it came as until something is written into it; from then on it is
// cells, one for each column, and loses the spaces at its end as a screen does.

import { codePointAt, sequenceLength } from '../utf8.js'
import { columnsOf } from './columns.js'

/** No row grows wider than this by what is written into it. */
export const MAX_COLUMNS = 1024

export const TAB_STOP = 8

/** A character with more marks than this is an attack. */
const MAX_CLUSTER = 32
const TAB = 0x09
const SPACE = 0x20

/** A column that belongs to the character before it: the second half of a wide one, the way of a tab. */
const SPAN = -1

/** A character by its number; with marks upon it, as a string; or a SPAN. */
type Cell = number | string

export interface Row {
  /** What it says, as long as nothing was written into it. */
  bytes: Buffer | undefined
  /** Made from the bytes when somebody asks for columns. */
  cells: Cell[] | undefined
  /** The text goes on in the next row without a newline between. */
  soft: boolean
}

export function createRow(bytes?: Buffer, soft = false): Row {
  return { bytes, cells: bytes ? undefined : [], soft }
}

export function widthOf(row: Row): number {
  return cellsOf(row).length
}

export function bytesOf(row: Row): Buffer {
  return row.bytes ?? Buffer.from(textOf(row.cells ?? []))
}

export function isEmpty(row: Row): boolean {
  return (row.bytes ?? row.cells)?.length === 0
}

export function isBlank(row: Row): boolean {
  if (row.bytes) return row.bytes.every((byte) => byte === SPACE || byte === TAB)
  return (row.cells ?? []).every((cell) => cell === SPACE || cell === TAB || cell === SPAN)
}

/** Writes over what is at a column. */
export function put(row: Row, column: number, code: number, columns: number): void {
  const cells = changing(row)
  while (cells.length < column) cells.push(SPACE)
  if (column < cells.length) {
    mend(cells, column)
    mend(cells, column + columns)
  }
  cells[column] = code
  if (columns === 2) cells[column + 1] = SPAN
}

/** Puts a mark, which has no column of its own, upon the character before the column. */
export function putMark(row: Row, column: number, code: number): void {
  mark(changing(row), Math.min(column, widthOf(row)), code)
}

export function putTab(row: Row): void {
  pushTab(changing(row))
}

/** Leaves spaces from one column to before another, if there is text there or behind. */
export function blank(row: Row, from: number, to: number): void {
  const cells = changing(row)
  mend(cells, from)
  mend(cells, to)
  if (to >= cells.length) cells.length = Math.min(cells.length, from)
  else cells.fill(SPACE, from, to)
}

export function cut(row: Row, from: number): void {
  const cells = changing(row)
  mend(cells, from)
  cells.length = Math.min(cells.length, from)
  row.soft = false
}

/** Moves what is at a column and behind it to the right. */
export function insert(row: Row, column: number, count: number): void {
  const cells = changing(row)
  if (column >= cells.length) return
  mend(cells, column)
  const end = Math.min(cells.length + count, MAX_COLUMNS)
  while (cells.length < end) cells.push(SPACE)
  for (let at = end - 1; at >= column + count; at--) cells[at] = cells[at - count] ?? SPACE
  cells.fill(SPACE, column, Math.min(column + count, end))
  cells.length = end
}

/** Takes columns out; what is behind them moves to the left. */
export function remove(row: Row, column: number, count: number): void {
  const cells = changing(row)
  mend(cells, column)
  mend(cells, column + count)
  cells.splice(column, count)
}

function changing(row: Row): Cell[] {
  const cells = cellsOf(row)
  row.bytes = undefined
  return cells
}

function cellsOf(row: Row): Cell[] {
  return (row.cells ??= readCells(row.bytes ?? Buffer.alloc(0)))
}

function readCells(bytes: Buffer): Cell[] {
  const cells: Cell[] = []
  for (let at = 0; at < bytes.length; at += sequenceLength(bytes[at] ?? 0)) {
    const code = codePointAt(bytes, at)
    const columns = columnsOf(code)
    if (code === TAB) pushTab(cells)
    else if (columns === 0) mark(cells, cells.length, code)
    else cells.push(code)
    if (columns === 2) cells.push(SPAN)
  }
  return cells
}

// Where a row is too wide already a tab is one column, so that a row of nothing but tabs does not become eight times it.
function pushTab(cells: Cell[]): void {
  cells.push(TAB)
  while (cells.length % TAB_STOP !== 0 && cells.length < MAX_COLUMNS) cells.push(SPAN)
}

function mark(cells: Cell[], column: number, code: number): void {
  let at = column - 1
  while (cells[at] === SPAN) at--
  const cell = cells[at]
  if (cell === undefined || cell === TAB) return
  const text = typeof cell === 'string' ? cell : String.fromCodePoint(cell)
  if (text.length < MAX_CLUSTER) cells[at] = text + String.fromCodePoint(code)
}

/** Before a column is changed that a wide character or a tab reaches into: its columns become spaces. */
function mend(cells: Cell[], column: number): void {
  if (cells[column] !== SPAN) return
  let at = column
  while (cells[at] === SPAN) at--
  cells[at] = SPACE
  for (at++; cells[at] === SPAN; at++) cells[at] = SPACE
}

function textOf(cells: readonly Cell[]): string {
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
