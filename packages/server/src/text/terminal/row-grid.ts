// The editable rows of a terminal page, and the cursor. There is no right edge and no bottom: a row is as wide as its
// text, up to MAX_COLUMNS, and the last EDITABLE_ROWS rows are editable. Rows above are final and are passed on in
// groups. Used by terminal-page. In memory only.

import { characterWidth } from '../column-width.js'
import { codePointAt, sequenceLength } from '../utf8.js'
import type { OnText } from './plain-text-buffer.js'
import { EDITABLE_ROWS, measureText } from './split-rows.js'
import {
  addCombiningMark,
  addTab,
  createTerminalRow,
  isBlankRow,
  isEmptyRow,
  MAX_COLUMNS,
  rowBytes,
  rowWidth,
  TAB_STOP,
  type TerminalRow,
  writeCharacter,
} from './terminal-row.js'

const NEWLINE = Buffer.from('\n')
/** Number of final rows emitted at once. */
const FLUSH_ROWS = 50

export interface RowGrid {
  /** Appends rows and moves the cursor to the start or the end of the last. */
  open(rows: readonly TerminalRow[], atStart: boolean): void
  /** Removes the last row if it is empty and has the cursor; the text can then be append-only again. */
  close(): boolean
  /** Writes text without control codes. */
  print(bytes: Buffer, from: number, to: number): void
  /** Moves to the start of the next row. Returns true, without creating the row, if it would be a new one. */
  newline(): boolean
  tab(): void
  isRowEmpty(): boolean
  /** Edits the row with the cursor, if it exists. */
  editRow(edit: (row: TerminalRow, column: number) => void): void
  /** Moves the cursor within the rows that exist or have existed. */
  moveBy(rows: number, columns: number): void
  toRow(row: number): void
  toColumn(column: number): void
  save(): void
  restore(): void
  insertRows(count: number): void
  removeRows(count: number): void
  /** Erases everything above, or below, the row with the cursor. */
  eraseAbove(): void
  eraseBelow(): void
  /** Moves up one row; at the top, inserts a row instead. */
  reverseIndex(): void
  /** Emits all rows as final. */
  flush(): void
  /** Returns all text; each row ends with a newline if more text follows. */
  toText(hasFollowingText: boolean): Buffer
  /** Returns only the editable text, given the rows that follow. */
  toVisibleText(following: readonly TerminalRow[]): Buffer
}

export function createRowGrid(onText: OnText): RowGrid {
  const rows: TerminalRow[] = []
  /** Index of the first editable row. */
  let top = 0
  let cursor: Cursor = { row: 0, column: 0 }
  let saved: Cursor | undefined
  /**
   * The lowest row that ever existed: a cursor that moves up, erases below and moves down again returns to its place.
   */
  let lowest = 0

  function currentRow(): TerminalRow {
    while (rows.length <= cursor.row) rows.push(createTerminalRow())
    finalizeRows()
    return rows[cursor.row] ?? createTerminalRow()
  }

  function finalizeRows(): void {
    lowest = Math.max(lowest, rows.length - 1)
    top = Math.max(top, rows.length - EDITABLE_ROWS)
    cursor.row = Math.max(cursor.row, top)
    if (top >= FLUSH_ROWS) emit(rows.splice(0, top))
  }

  function emit(finalRows: readonly TerminalRow[]): void {
    if (finalRows.length === 0) return
    const bytes = join(finalRows, true)
    top = Math.max(top - finalRows.length, 0)
    lowest = Math.max(lowest - finalRows.length, 0)
    cursor = moveUp(cursor, finalRows.length)
    saved &&= moveUp(saved, finalRows.length)
    onText(bytes, measureText(bytes))
  }

  function print(bytes: Buffer, from: number, to: number): void {
    let row = currentRow()
    for (let at = from; at < to; at += sequenceLength(bytes[at] ?? 0)) {
      const code = codePointAt(bytes, at)
      const columns = characterWidth(code)
      if (columns === 0) {
        addCombiningMark(row, cursor.column, code)
        continue
      }
      if (cursor.column + columns > MAX_COLUMNS) {
        row.isSoftWrapped = true
        cursor = { row: cursor.row + 1, column: 0 }
        row = currentRow()
      }
      writeCharacter(row, cursor.column, code, columns)
      cursor.column += columns
    }
  }

  function newline(): boolean {
    cursor.column = 0
    const isNew = cursor.row + 1 >= rows.length
    if (isNew) currentRow().isSoftWrapped = false
    else cursor.row++
    return isNew
  }

  function insertRows(count: number): void {
    const below = rows.splice(cursor.row)
    const end = Math.min(cursor.row + count, top + EDITABLE_ROWS)
    while (below.length > 0 && rows.length < end) rows.push(createTerminalRow())
    rows.push(...below.slice(0, top + EDITABLE_ROWS - rows.length))
    finalizeRows()
  }

  /** Returns text without blank rows after the last row with text or the cursor. */
  function toTrimmedText(from: number): Buffer {
    let end = rows.length
    while (end > cursor.row + 1 && isBlankAt(end - 1)) end--
    return join(rows.slice(from, end), end < rows.length && !isBlankAt(end - 1))
  }

  const isBlankAt = (at: number): boolean => isBlankRow(rows[at] ?? createTerminalRow())
  const bottom = (): number => Math.max(lowest, rows.length - 1, cursor.row)

  return {
    open(added, atStart) {
      rows.push(...added)
      cursor = { row: rows.length - 1, column: 0 }
      finalizeRows()
      if (!atStart) cursor.column = rowWidth(currentRow())
    },
    close() {
      const last = rows.at(-1)
      if (!last || cursor.row !== rows.length - 1 || cursor.column > 0 || !isEmptyRow(last)) return false
      rows.pop()
      return true
    },
    print,
    newline,
    tab() {
      const row = rows[cursor.row]
      if (row && cursor.column === rowWidth(row)) addTab(row)
      cursor.column = clamp(cursor.column - (cursor.column % TAB_STOP) + TAB_STOP, 0, MAX_COLUMNS - 1)
    },
    isRowEmpty: () => cursor.row >= rows.length || isEmptyRow(currentRow()),
    editRow(edit) {
      const row = rows[cursor.row]
      if (row) edit(row, cursor.column)
    },
    moveBy(down, right) {
      cursor.row = clamp(cursor.row + down, top, bottom())
      cursor.column = clamp(cursor.column + right, 0, MAX_COLUMNS - 1)
    },
    // Programs use row 999 to reach the bottom.
    toRow: (row) => void (cursor.row = row < EDITABLE_ROWS ? top + row : bottom()),
    toColumn: (column) => void (cursor.column = clamp(column, 0, MAX_COLUMNS - 1)),
    save: () => void (saved = { ...cursor }),
    restore() {
      if (saved) cursor = { row: Math.max(saved.row, top), column: saved.column }
    },
    insertRows,
    removeRows: (count) => void rows.splice(cursor.row, count),
    eraseAbove() {
      for (let row = top; row < Math.min(cursor.row, rows.length); row++) rows[row] = createTerminalRow()
    },
    eraseBelow: () => void rows.splice(cursor.row + 1),
    reverseIndex() {
      if (cursor.row > top) cursor.row--
      else insertRows(1)
    },
    flush: () => emit(rows.splice(0)),
    toText: (hasFollowingText) => (hasFollowingText ? join(rows, true) : toTrimmedText(0)),
    toVisibleText: (following) =>
      following.length > 0 ? join([...rows, ...following].slice(-EDITABLE_ROWS), false) : toTrimmedText(top),
  }
}

interface Cursor {
  row: number
  column: number
}

function moveUp({ row, column }: Cursor, rows: number): Cursor {
  return { row: Math.max(row - rows, 0), column }
}

function clamp(value: number, lowest: number, highest: number): number {
  return Math.min(Math.max(value, lowest), highest)
}

/** Ends each row that is not soft-wrapped with a newline, the last one only if it has ended. */
function join(rows: readonly TerminalRow[], hasEnded: boolean): Buffer {
  const pieces: Buffer[] = []
  for (const row of rows) {
    pieces.push(rowBytes(row))
    if (!row.isSoftWrapped) pieces.push(NEWLINE)
  }
  if (!hasEnded && rows.at(-1)?.isSoftWrapped === false) pieces.pop()
  return Buffer.concat(pieces)
}
