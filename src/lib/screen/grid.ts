// The rows of a page that control codes are changing, and the cursor among them. There is no right edge and no bottom:
// a row is as wide as what is written into it, up to MAX_COLUMNS, and of the rows the last ROWS can change; those above
// are final and handed on, many at a time.

import { codePointAt, sequenceLength } from '../utf8.js'
import type { OnText } from './backlog.js'
import { columnsOf } from './columns.js'
import { bytesOf, createRow, isBlank, isEmpty, MAX_COLUMNS, put, putMark, putTab, TAB_STOP, widthOf } from './row.js'
import type { Row } from './row.js'
import { ROWS } from './row-ends.js'
import { survey } from './survey.js'

const NEWLINE = Buffer.from('\n')
/** So many final rows are handed on at once. */
const MANY = 50

export interface Grid {
  /** Puts rows behind those that are here and the cursor at the start or the end of the last. */
  open(rows: readonly Row[], atStart: boolean): void
  /** Takes the last row away if it is empty and has the cursor: there, text can as well be plain again. */
  close(): boolean
  /** Text without control codes. */
  print(bytes: Buffer, from: number, to: number): void
  /** To the start of the next row; true where that would be a new one, which is then not made here. */
  newline(): boolean
  tab(): void
  rowIsEmpty(): boolean
  /** Changes the row with the cursor, if there is text as far down. */
  change(how: (row: Row, column: number) => void): void
  /** Never out of the rows there are or have been. */
  moveBy(rows: number, columns: number): void
  toRow(row: number): void
  toColumn(column: number): void
  save(): void
  restore(): void
  insertRows(count: number): void
  removeRows(count: number): void
  /** Everything above the row with the cursor, or below it. */
  eraseAbove(): void
  eraseBelow(): void
  /** One row up; at the top everything moves down instead. */
  reverse(): void
  /** All rows are final. */
  flush(): void
  /** What there is, final or not; all rows with their newlines if others follow. */
  picture(isFollowed: boolean): Buffer
  /** Only what can still change, if these rows follow. */
  visible(behind: readonly Row[]): Buffer
}

export function createGrid(onText: OnText): Grid {
  const rows: Row[] = []
  /** The first row that is not final. */
  let top = 0
  let cursor: Cursor = { row: 0, column: 0 }
  let saved: Cursor | undefined
  /** The lowest row there has been: a cursor that goes up, erases what is below and comes back finds its place. */
  let lowest = 0

  function here(): Row {
    while (rows.length <= cursor.row) rows.push(createRow())
    trim()
    return rows[cursor.row] ?? createRow()
  }

  function trim(): void {
    lowest = Math.max(lowest, rows.length - 1)
    top = Math.max(top, rows.length - ROWS)
    cursor.row = Math.max(cursor.row, top)
    if (top >= MANY) handOn(rows.splice(0, top))
  }

  function handOn(final: readonly Row[]): void {
    if (final.length === 0) return
    const bytes = join(final, true)
    top = Math.max(top - final.length, 0)
    lowest = Math.max(lowest - final.length, 0)
    cursor = raised(cursor, final.length)
    saved &&= raised(saved, final.length)
    onText(bytes, survey(bytes))
  }

  function print(bytes: Buffer, from: number, to: number): void {
    let row = here()
    for (let at = from; at < to; at += sequenceLength(bytes[at] ?? 0)) {
      const code = codePointAt(bytes, at)
      const columns = columnsOf(code)
      if (columns === 0) {
        putMark(row, cursor.column, code)
        continue
      }
      if (cursor.column + columns > MAX_COLUMNS) {
        row.soft = true
        cursor = { row: cursor.row + 1, column: 0 }
        row = here()
      }
      put(row, cursor.column, code, columns)
      cursor.column += columns
    }
  }

  function newline(): boolean {
    cursor.column = 0
    const isNew = cursor.row + 1 >= rows.length
    if (isNew) here().soft = false
    else cursor.row++
    return isNew
  }

  function insertRows(count: number): void {
    const below = rows.splice(cursor.row)
    const end = Math.min(cursor.row + count, top + ROWS)
    while (below.length > 0 && rows.length < end) rows.push(createRow())
    rows.push(...below.slice(0, top + ROWS - rows.length))
    trim()
  }

  /** With nothing behind the last row that has text or the cursor. */
  function drawn(from: number): Buffer {
    let end = rows.length
    while (end > cursor.row + 1 && isBlankAt(end - 1)) end--
    return join(rows.slice(from, end), end < rows.length && !isBlankAt(end - 1))
  }

  const isBlankAt = (at: number): boolean => isBlank(rows[at] ?? createRow())
  const bottom = (): number => Math.max(lowest, rows.length - 1, cursor.row)

  return {
    open(more, atStart) {
      rows.push(...more)
      cursor = { row: rows.length - 1, column: 0 }
      trim()
      if (!atStart) cursor.column = widthOf(here())
    },
    close() {
      const last = rows.at(-1)
      if (!last || cursor.row !== rows.length - 1 || cursor.column > 0 || !isEmpty(last)) return false
      rows.pop()
      return true
    },
    print,
    newline,
    tab() {
      const row = rows[cursor.row]
      if (row && cursor.column === widthOf(row)) putTab(row)
      cursor.column = clamp(cursor.column - (cursor.column % TAB_STOP) + TAB_STOP, 0, MAX_COLUMNS - 1)
    },
    rowIsEmpty: () => cursor.row >= rows.length || isEmpty(here()),
    change(how) {
      const row = rows[cursor.row]
      if (row) how(row, cursor.column)
    },
    moveBy(down, right) {
      cursor.row = clamp(cursor.row + down, top, bottom())
      cursor.column = clamp(cursor.column + right, 0, MAX_COLUMNS - 1)
    },
    // Who asks for row 999 wants the bottom, wherever it is.
    toRow: (row) => void (cursor.row = row < ROWS ? top + row : bottom()),
    toColumn: (column) => void (cursor.column = clamp(column, 0, MAX_COLUMNS - 1)),
    save: () => void (saved = { ...cursor }),
    restore() {
      if (saved) cursor = { row: Math.max(saved.row, top), column: saved.column }
    },
    insertRows,
    removeRows: (count) => void rows.splice(cursor.row, count),
    eraseAbove() {
      for (let row = top; row < Math.min(cursor.row, rows.length); row++) rows[row] = createRow()
    },
    eraseBelow: () => void rows.splice(cursor.row + 1),
    reverse() {
      if (cursor.row > top) cursor.row--
      else insertRows(1)
    },
    flush: () => handOn(rows.splice(0)),
    picture: (isFollowed) => (isFollowed ? join(rows, true) : drawn(0)),
    visible: (behind) => (behind.length > 0 ? join([...rows, ...behind].slice(-ROWS), false) : drawn(top)),
  }
}

interface Cursor {
  row: number
  column: number
}

function raised({ row, column }: Cursor, rows: number): Cursor {
  return { row: Math.max(row - rows, 0), column }
}

function clamp(wanted: number, lowest: number, highest: number): number {
  return Math.min(Math.max(wanted, lowest), highest)
}

/** A newline is behind every row that does not go on in the next, and behind the last only if it has ended. */
function join(rows: readonly Row[], hasEnded: boolean): Buffer {
  const pieces: Buffer[] = []
  for (const row of rows) {
    pieces.push(bytesOf(row))
    if (!row.soft) pieces.push(NEWLINE)
  }
  if (!hasEnded && rows.at(-1)?.soft === false) pieces.pop()
  return Buffer.concat(pieces)
}
